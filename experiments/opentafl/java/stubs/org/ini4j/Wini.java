package org.ini4j;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much of ini4j's class as OpenTafl calls. */
public class Wini {
    private final File file;
    private final Map<String, Map<String, String>> sections = new LinkedHashMap<>();

    public Wini(File file) throws IOException {
        this.file = file;
        String section = "";
        for (String line : Files.readAllLines(file.toPath(), StandardCharsets.UTF_8)) {
            line = line.trim();
            int equals = line.indexOf('=');
            if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
                continue;
            } else if (line.startsWith("[") && line.endsWith("]")) {
                section = line.substring(1, line.length() - 1).trim();
            } else if (equals >= 0) {
                put(section, line.substring(0, equals).trim(), line.substring(equals + 1).trim());
            }
        }
    }

    /** A value; where there is none: null, or zero or false for the primitive types. */
    @SuppressWarnings("unchecked")
    public <T> T get(Object section, Object key, Class<T> type) {
        Map<String, String> values = sections.get(String.valueOf(section));
        String value = values == null ? null : values.get(String.valueOf(key));
        boolean isMissing = value == null || value.isEmpty();
        if (type == int.class) return (T) (Object) (isMissing ? 0 : Integer.parseInt(value));
        if (type == long.class) return (T) (Object) (isMissing ? 0L : Long.parseLong(value));
        if (type == boolean.class) return (T) (Object) Boolean.parseBoolean(value);
        return (T) value;
    }

    public Object put(String section, String key, Object value) {
        return sections.computeIfAbsent(section, name -> new LinkedHashMap<>()).put(key, String.valueOf(value));
    }

    public void store() throws IOException {
        List<String> lines = new ArrayList<>();
        sections.forEach((section, values) -> {
            lines.add("[" + section + "]");
            values.forEach((key, value) -> lines.add(key + " = " + value));
        });
        Files.write(file.toPath(), lines, StandardCharsets.UTF_8);
    }
}
