package jline;
public interface Terminal { boolean isAnsiSupported(); }
