package javax.json;
public interface JsonObject {
    JsonArray getJsonArray(String key);
    JsonObject getJsonObject(String key);
    JsonNumber getJsonNumber(String key);
    String getString(String key);
    String getString(String key, String other);
    int getInt(String key);
    int getInt(String key, int other);
}
