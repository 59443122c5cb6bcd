package com.datastax.spark.connector.japi;

import java.io.Serializable;
import java.util.Date;
import java.util.Objects;

/** A bean, as the documentation of the connector for Spark 3 has it. */
public class Person implements Serializable {
    private static final long serialVersionUID = 1;

    private Integer id;
    private String name;
    private Date birthDate;

    public Person() {}

    public Person(Integer id, String name, Date birthDate) {
        this.id = id;
        this.name = name;
        this.birthDate = birthDate;
    }

    public Integer getId() {
        return id;
    }

    public void setId(Integer id) {
        this.id = id;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public Date getBirthDate() {
        return birthDate;
    }

    public void setBirthDate(Date birthDate) {
        this.birthDate = birthDate;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Person that
                && Objects.equals(id, that.id)
                && Objects.equals(name, that.name)
                && Objects.equals(birthDate, that.birthDate);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, name, birthDate);
    }

    @Override
    public String toString() {
        return id + " " + name + " " + birthDate;
    }
}
