import com.manywords.softworks.tafl.Log;
import com.manywords.softworks.tafl.command.CommandEngine;
import com.manywords.softworks.tafl.command.CommandResult;
import com.manywords.softworks.tafl.command.player.ExternalEnginePlayer;
import com.manywords.softworks.tafl.command.player.Player;
import com.manywords.softworks.tafl.command.player.external.engine.CommunicationThread;
import com.manywords.softworks.tafl.command.player.external.engine.EngineSpec;
import com.manywords.softworks.tafl.command.player.external.engine.ExternalEngineHost;
import com.manywords.softworks.tafl.engine.*;
import com.manywords.softworks.tafl.engine.clock.TimeSpec;
import com.manywords.softworks.tafl.notation.RulesSerializer;
import com.manywords.softworks.tafl.rules.*;
import com.manywords.softworks.tafl.ui.AbstractUiCallback;
import com.manywords.softworks.tafl.ui.UiCallback;

import java.io.*;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays one game of an engine against random moves, or asks an engine for one analysis, as OpenTafl does: with its own CommandEngine,
 * ExternalEnginePlayer, ExternalEngineHost, CommunicationThread, GameClock and Game.
 *
 *   Host game SIDE RULES CLOCK SEED MAX_PLIES COMMAND...     SIDE is the engine's; CLOCK is none or MAIN+OVERTIMExCOUNT, in seconds
 *   Host analyze RULES MOVES SECONDS COMMAND...              the start position
 *
 * Standard output holds the moves and what OpenTafl would show, then `result ...`. Standard error holds all lines sent (>) and received (<),
 * with the seconds since the start, and notes (#). The exit code is 0 where the game or the analysis came to its end.
 */
public class Host {
    private static final long BEGIN = System.nanoTime();
    private static final PrintStream OUT = System.out;
    private static final PrintStream ERR = System.err;
    /** ExternalEnginePlayer takes note of its move only after the opponent has been asked for his, so he must not answer at once. */
    private static final long OPPONENT_DELAY_MS = 50;

    private static final CountDownLatch over = new CountDownLatch(1);
    private static volatile String result;
    private static volatile EnginePlayer engine;
    private static Game game;
    private static int maxPlies;

    public static void main(String[] args) throws Exception {
        boolean isGame = args.length >= 7 && args[0].equals("game");
        boolean isAnalysis = args.length >= 5 && args[0].equals("analyze");
        if (!isGame && !isAnalysis) {
            ERR.println("usage: game SIDE RULES CLOCK SEED MAX_PLIES COMMAND...\n       analyze RULES MOVES SECONDS COMMAND...");
            System.exit(2);
        }
        System.setOut(ERR); // for what OpenTafl itself prints
        Log.level = Log.Level.CRITICAL;
        Thread.setDefaultUncaughtExceptionHandler(Host::crashed);
        Coord.initialize();
        List<String> command = Arrays.asList(args).subList(isGame ? 6 : 4, args.length);
        engine = new EnginePlayer(spec(command));

        boolean isDone = isGame
                ? play(args[1].equals("attackers"), args[2], clock(args[3]), Long.parseLong(args[4]), Integer.parseInt(args[5]))
                : analyze(args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        say("result " + result);
        if (!engine.process.waitFor(5, TimeUnit.SECONDS)) {
            engine.process.destroyForcibly();
            note("# the engine still ran 5 s after goodbye");
            isDone = false;
        }
        System.exit(isDone ? 0 : 1);
    }

    private static boolean play(boolean engineAttacks, String rules, TimeSpec time, long seed, int plies) throws Exception {
        maxPlies = plies;
        Ui ui = new Ui();
        Rules loaded = RulesSerializer.loadRulesRecord(rules);
        game = time == null ? new Game(loaded, ui) : new Game(loaded, ui, time);
        Player opponent = new RandomPlayer(new Random(seed));
        CommandEngine commands = new CommandEngine(game, ui, engineAttacks ? engine : opponent, engineAttacks ? opponent : engine);
        commands.startGame();
        while (!over.await(200, TimeUnit.MILLISECONDS)) {
            if (!engine.process.isAlive()) {
                end("the engine exited");
            }
        }
        Thread.sleep(100); // in which CommandEngine finishes the game itself
        if (commands.isInGame()) {
            commands.finishGameQuietly();
        }
        commands.shutdown();
        return !result.startsWith("the engine exited");
    }

    private static boolean analyze(String rules, int moves, int seconds) throws Exception {
        game = new Game(RulesSerializer.loadRulesRecord(rules), new Ui());
        engine.setGame(game);
        engine.setCallback(new Player.PlayerCallback() {
            @Override public void onMoveDecided(Player player, MoveRecord move) {
                note("# a move instead of an analysis");
            }

            @Override public void notifyResignation(Player player) {
                end("the engine resigned");
            }
        });
        engine.setupPlayer();
        ExternalEngineHost host = engine.getExternalEngineHost();
        for (int tries = 0; tries < 200 && !host.ready(); tries++) {
            Thread.sleep(50);
        }
        host.analyzePosition(moves, seconds, game.getCurrentState());
        boolean isAnalysed = engine.analysed.await(seconds + 30, TimeUnit.SECONDS);
        end(isAnalysed ? "analysis" : "no analysis");
        engine.stop();
        engine.quit();
        return result.equals("analysis");
    }

    /** OpenTafl's player for engines, whose conversation is copied to standard error. */
    private static class EnginePlayer extends ExternalEnginePlayer {
        final CountDownLatch analysed = new CountDownLatch(1);
        private final EngineSpec spec;
        private volatile Process process;
        private volatile boolean hasResigned;

        EnginePlayer(EngineSpec spec) {
            this.spec = spec;
        }

        /** What ExternalEnginePlayer.setupEngine does, with both streams watched from the first line on. */
        @Override public void setupPlayer() {
            try {
                ExternalEngineHost host = new ExternalEngineHost(this, spec);
                process = (Process) field(ExternalEngineHost.class, "mExternalEngine").get(host);
                CommunicationThread thread = (CommunicationThread) field(ExternalEngineHost.class, "mCommThread").get(host);
                watchInput(thread);
                watchOutput(thread);
                field(ExternalEnginePlayer.class, "mHost").set(this, host);
                host.setGame(getGame());
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }

        private void watchInput(CommunicationThread thread) throws ReflectiveOperationException {
            Field callback = field(CommunicationThread.class, "callback");
            CommunicationThread.CommunicationThreadCallback real = (CommunicationThread.CommunicationThreadCallback) callback.get(thread);
            CommunicationThread.CommunicationThreadCallback watching = bytes -> {
                String text = new String(bytes, StandardCharsets.UTF_8);
                for (String line : text.split("\n")) {
                    note("< " + line);
                }
                if (!text.endsWith("\n")) {
                    note("# half a line was read, which OpenTafl takes for a whole one");
                }
                real.onCommandReceived(bytes);
                if (text.startsWith("analysis") || text.contains("\nanalysis")) {
                    analysed.countDown();
                }
            };
            callback.set(thread, watching);
        }

        private void watchOutput(CommunicationThread thread) throws ReflectiveOperationException {
            Field output = field(CommunicationThread.class, "output");
            OutputStream real = (OutputStream) output.get(thread);
            output.set(thread, new FilterOutputStream(real) {
                @Override public void write(byte[] bytes) throws IOException {
                    for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n")) {
                        note("> " + line);
                    }
                    out.write(bytes);
                }
            });
        }

        @Override public void resign() {
            hasResigned = true;
            super.resign();
        }

        @Override public void onMoveDecided(MoveRecord move) {
            int before = getGame().getHistory().size();
            super.onMoveDecided(move);
            if (getGame().getHistory().size() == before) {
                note("# move refused: " + move);
            }
        }
    }

    private static class RandomPlayer extends Player {
        private final Random random;
        private PlayerCallback callback;

        RandomPlayer(Random random) {
            this.random = random;
        }

        @Override public void getNextMove(UiCallback ui, Game game, int thinkTime) {
            new Thread(() -> choose(game.getCurrentState())).start();
        }

        private void choose(GameState state) {
            List<MoveRecord> moves = new ArrayList<>();
            for (char piece : state.getCurrentSide().getTaflmen()) {
                for (Coord to : Taflman.getAllowableDestinations(state, piece)) {
                    moves.add(new MoveRecord(Taflman.getCurrentSpace(state, piece), to));
                }
            }
            try {
                Thread.sleep(OPPONENT_DELAY_MS);
            } catch (InterruptedException error) {
                return;
            }
            if (moves.isEmpty()) {
                end("the random player has no move");
            } else {
                callback.onMoveDecided(this, moves.get(random.nextInt(moves.size())));
            }
        }

        @Override public void setCallback(PlayerCallback callback) { this.callback = callback; }

        @Override public void onMoveDecided(MoveRecord move) { callback.onMoveDecided(this, move); }

        @Override public Type getType() { return Type.AI; }

        @Override public void moveResult(int result) { }

        @Override public void opponentMove(MoveRecord move) { }

        @Override public void stop() { }

        @Override public void timeUpdate() { }
    }

    private static class Ui extends AbstractUiCallback {
        private int plies = 0;

        @Override public void moveResult(CommandResult result, MoveRecord move) {
            if (result.result != CommandResult.SUCCESS) {
                note("# " + result.message);
                return;
            }
            plies++;
            say("move " + plies + " " + move.start + "-" + move.end + " " + game.getCurrentState().getOTNPositionString());
            if (plies >= maxPlies && game.getCurrentState().checkVictory() == GameState.GOOD_MOVE) {
                end("unfinished");
            }
        }

        @Override public void victoryForSide(Side side) {
            // OpenTafl gives the game to the one who resigns.
            boolean isOnBoard = game.getCurrentState().checkVictory() != GameState.GOOD_MOVE;
            String how = engine.hasResigned ? " by resignation" : isOnBoard ? "" : " on time";
            end((side == null ? "draw" : side.isAttackingSide() ? "attackers" : "defenders") + how);
        }

        @Override public void statusText(String text) { say("status " + text); }

        @Override public void modalStatus(String title, String text) { say("message " + title + " " + text); }

        @Override public void gameStarting() { }

        @Override public void gameStateAdvanced() { }

        @Override public void gameFinished() { }

        @Override public MoveRecord waitForHumanMoveInput() { return null; }

        @Override public boolean inGame() { return true; }
    }

    /** As in OpenTafl, an exception in any thread ends the program. */
    private static void crashed(Thread thread, Throwable error) {
        error.printStackTrace(ERR);
        say("result OpenTafl crashed: " + error);
        if (engine != null && engine.process != null) {
            engine.process.destroy();
        }
        Runtime.getRuntime().halt(3);
    }

    private static synchronized void end(String how) {
        if (result == null) {
            result = how;
        }
        over.countDown();
    }

    private static TimeSpec clock(String text) {
        if (text.equals("none")) {
            return null;
        }
        Matcher numbers = Pattern.compile("(\\d+)\\+(\\d+)x(\\d+)").matcher(text);
        if (!numbers.matches()) {
            throw new IllegalArgumentException("a clock is none or MAIN+OVERTIMExCOUNT, not " + text);
        }
        long main = Long.parseLong(numbers.group(1)) * 1000;
        long overtime = Long.parseLong(numbers.group(2)) * 1000;
        return new TimeSpec(main, overtime, Integer.parseInt(numbers.group(3)), 0);
    }

    /** An engine as OpenTafl wants it, in a folder under engines/ of the working directory. The command runs in HOST_CWD. */
    private static EngineSpec spec(List<String> command) throws IOException {
        File folder = Files.createTempDirectory(new File("engines").getAbsoluteFile().toPath(), "e").toFile();
        File script = new File(folder, "run.sh");
        File ini = new File(folder, "engine.ini");
        StringBuilder call = new StringBuilder("exec");
        command.forEach(word -> call.append(' ').append(quoted(word)));
        Files.write(script.toPath(), List.of("cd " + quoted(System.getenv("HOST_CWD")) + " || exit 1", call));
        Files.write(ini.toPath(), List.of("[engine]", "name=engine", "directory=" + folder.getName(), "filename=run.sh", "command=/bin/sh",
                "arguments=run.sh"));
        EngineSpec spec = new EngineSpec(ini);
        for (File file : List.of(folder, script, ini)) {
            file.deleteOnExit(); // in reverse order
        }
        return spec;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static synchronized void say(String line) {
        OUT.println(line);
        OUT.flush();
    }

    private static synchronized void note(String line) {
        ERR.printf(Locale.ROOT, "%8.3f %s%n", (System.nanoTime() - BEGIN) / 1e9, line);
        ERR.flush();
    }
}
