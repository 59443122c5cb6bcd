from overdrive_cassandra import main

main()
