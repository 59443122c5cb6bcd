package programs;

import java.io.Serializable;

/** A bean with a property for each column. */
public class Product implements Serializable {
    private static final long serialVersionUID = 1;

    private Integer id;
    private String name;
    private Integer unitPrice;

    public Product() {}

    public Product(Integer id, String name, Integer unitPrice) {
        this.id = id;
        this.name = name;
        this.unitPrice = unitPrice;
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

    public Integer getUnitPrice() {
        return unitPrice;
    }

    public void setUnitPrice(Integer unitPrice) {
        this.unitPrice = unitPrice;
    }
}
