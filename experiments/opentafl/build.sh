#!/bin/sh
# Compiles OpenTafl's unchanged sources with our classes beside them, without a network, and writes four commands to OUT: oracle, records, host, engine.
#   sh experiments/opentafl/build.sh CHECKOUT OUT      CHECKOUT: a clone of github.com/jslater89/OpenTafl; needs a JDK 11 or later
set -e
[ $# = 2 ] || { echo "usage: build.sh CHECKOUT OUT" >&2; exit 2; }
mkdir -p "$2"
java=$(cd "$(dirname "$0")/java" && pwd)
checkout=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
rm -rf "$out/classes" && mkdir "$out/classes"
javac -J-Xmx700m -nowarn -proc:none -encoding UTF-8 \
  --add-exports java.base/sun.net=ALL-UNNAMED \
  --add-exports java.xml/com.sun.org.apache.xerces.internal.impl.dv.util=ALL-UNNAMED \
  -cp "$checkout/lib/lanterna.jar" -sourcepath "$checkout/src:$java/stubs" -d "$out/classes" \
  "$checkout/src/com/manywords/softworks/tafl/OpenTafl.java" "$java"/*.java
jvm="java -Djava.awt.headless=true -XX:+UseSerialGC -cp '$out/classes:$checkout/lib/lanterna.jar'"

cat > "$out/oracle" <<END
#!/bin/sh
# OpenTafl's rules engine on standard input and output; see Oracle.java.
exec $jvm -Xmx512m Oracle
END

cat > "$out/records" <<END
#!/bin/sh
# Loads records with OpenTafl's own loader; see Records.java.
exec $jvm -Xmx512m Records "\$@"
END

# OpenTafl looks for engines, and keeps its settings and its log, under its working directory.
cat > "$out/host" <<END
#!/bin/sh
# One game or analysis by OpenTafl's host of engines; see Host.java.
HOST_CWD=\$(pwd); export HOST_CWD
mkdir -p '$out/run/host/engines' && cd '$out/run/host' || exit 1
exec $jvm -Xmx512m Host "\$@"
END

cat > "$out/engine" <<END
#!/bin/sh
# OpenTafl as an engine on standard input and output: engine [SECONDS], whole seconds a move where there is no clock, 10 if not given.
# ENGINE_XMX is the heap, 1g if not given; ENGINE_ARGS are further arguments of OpenTafl, such as --silent.
seconds=\${1:-10}
run='$out/run'/engine-\$seconds
mkdir -p "\$run" && cd "\$run" || exit 1
[ -f settings.ini ] || { printf '[config]\nthinktime = %s\n' "\$seconds" > settings.ini.\$\$ && mv settings.ini.\$\$ settings.ini; }
exec $jvm -Xmx\${ENGINE_XMX:-1g} com.manywords.softworks.tafl.OpenTafl \${ENGINE_ARGS-} --engine
END
chmod +x "$out/oracle" "$out/records" "$out/host" "$out/engine"
