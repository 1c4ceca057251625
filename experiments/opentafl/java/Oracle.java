import com.manywords.softworks.tafl.Log;
import com.manywords.softworks.tafl.engine.*;
import com.manywords.softworks.tafl.notation.PositionSerializer;
import com.manywords.softworks.tafl.notation.RulesSerializer;
import com.manywords.softworks.tafl.rules.*;
import com.manywords.softworks.tafl.rules.seabattle.SeaBattle;
import com.manywords.softworks.tafl.rules.tablut.FotevikenTablut;
import com.manywords.softworks.tafl.rules.tablut.Tablut;

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * Asks OpenTafl's own rules engine. One command a line on standard input, one line of answer each:
 *
 *   rules LINE             a new game by a line of rules     ok LINE, as OpenTafl writes it
 *   variant N              a new game by the rules that OpenTafl has as code: 0 Sea Battle, 1 Tablut, 2 Foteviken Tablut (all 9x9)
 *   setup BOARD SIDE       a new game from a position        ok BOARD
 *   moves                  legal moves                       a1-a2 a1-a3 ...
 *   play a1-a2             plays a move                      RESULT CAPTURED BOARD
 *   quit
 *
 * RESULT is good, draw, attackers, defenders or illegal; CAPTURED is squares between slashes, or a hyphen. What cannot be done is answered
 * with fail and the reason.
 */
public class Oracle {
    private static Rules rules;
    private static Game game;

    public static void main(String[] args) throws IOException {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "US-ASCII");
        System.setOut(System.err); // for what OpenTafl itself prints
        Log.level = Log.Level.CRITICAL;
        Coord.initialize();

        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = commands.readLine()) != null && !line.equals("quit")) {
            String answer;
            try {
                answer = obey(line.trim());
            } catch (Exception error) {
                answer = "fail " + error.toString().replace('\n', ' ');
            }
            answers.print(answer + "\n");
            answers.flush();
        }
        System.exit(0);
    }

    private static String obey(String line) throws Exception {
        String[] words = line.split(" ", 2);
        String rest = words.length < 2 ? "" : words[1].trim();
        switch (words[0]) {
            case "rules":
                return begin(RulesSerializer.loadRulesRecord(rest));
            case "variant":
                return begin(variant(rest));
            case "setup":
                return setUp(rest);
            case "moves":
                return String.join(" ", moves(game.getCurrentState()));
            case "play":
                return play(rest);
            default:
                return "fail unknown command " + words[0];
        }
    }

    private static Rules variant(String number) {
        switch (number) {
            case "0":
                return SeaBattle.newSeaBattle9();
            case "1":
                return Tablut.newTablut9();
            case "2":
                return FotevikenTablut.newFotevikenTablut9();
            default:
                throw new IllegalArgumentException("no variant " + number);
        }
    }

    private static String begin(Rules chosen) {
        rules = chosen;
        game = new Game(rules, null);
        forgetMoves(game.getCurrentState());
        return "ok " + rules.getOTRString(false);
    }

    private static String setUp(String text) throws Exception {
        String[] words = text.split(" ");
        if (words.length != 2 || !(words[1].equals("attackers") || words[1].equals("defenders"))) {
            return "fail expected setup BOARD attackers|defenders";
        }
        game = new Game(rules, null);
        GameState state = PositionSerializer.loadPositionRecord(rules, words[0], game);
        game.setCurrentState(state);
        state.setCurrentSide(words[1].equals("attackers") ? state.getAttackers() : state.getDefenders());
        // History and table of repetitions hold this position alone, as if the game had begun with it.
        game.getRepetitions().decrement(game.getHistory().get(0).mZobristHash);
        game.getHistory().clear();
        state.mZobristHash = state.zobristHash();
        game.getHistory().add(state);
        game.getRepetitions().increment(state.mZobristHash);
        forgetMoves(state);
        return "ok " + state.getOTNPositionString();
    }

    /** OpenTafl keeps moves by a position's hash, which says nothing of the rules. */
    private static void forgetMoves(GameState state) {
        TaflmanMoveCache.reset(rules.boardSize, state.mZobristHash, (byte) rules.howManyAttackers(), (byte) rules.howManyDefenders());
    }

    private static Collection<String> moves(GameState state) {
        Collection<String> moves = new TreeSet<>();
        for (char piece : state.getCurrentSide().getTaflmen()) {
            for (Coord to : Taflman.getAllowableDestinations(state, piece)) {
                moves.add(Taflman.getCurrentSpace(state, piece) + "-" + to);
            }
        }
        return moves;
    }

    private static String play(String move) {
        String[] squares = move.split("-");
        GameState before = game.getCurrentState();
        int result = before.makeMove(new MoveRecord(Coord.get(squares[0]), Coord.get(squares[1])));
        if (result < GameState.LOWEST_NONERROR_RESULT) {
            return "illegal - " + before.getOTNPositionString();
        }
        Collection<String> captured = new TreeSet<>();
        for (Coord square : before.getExitingMove().captures) {
            captured.add(square.toString());
        }
        String list = captured.isEmpty() ? "-" : String.join("/", captured);
        return word(result) + " " + list + " " + game.getCurrentState().getOTNPositionString();
    }

    private static String word(int result) {
        switch (result) {
            case GameState.DRAW:
                return "draw";
            case GameState.ATTACKER_WIN:
                return "attackers";
            case GameState.DEFENDER_WIN:
                return "defenders";
            default:
                return "good";
        }
    }
}
