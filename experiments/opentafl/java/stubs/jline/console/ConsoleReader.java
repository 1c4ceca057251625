package jline.console;

import java.io.IOException;

/** Stands in for jline's class, which nothing uses without a terminal. */
public class ConsoleReader {
    public ConsoleReader() throws IOException { }

    public jline.Terminal getTerminal() { return () -> false; }

    public boolean clearScreen() throws IOException { return false; }

    public String readLine() throws IOException { return null; }

    public String readLine(String prompt) throws IOException { return null; }
}
