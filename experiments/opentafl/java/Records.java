import com.manywords.softworks.tafl.Log;
import com.manywords.softworks.tafl.engine.*;
import com.manywords.softworks.tafl.engine.replay.*;
import com.manywords.softworks.tafl.notation.GameSerializer;
import com.manywords.softworks.tafl.rules.Coord;

import java.io.*;
import java.util.*;

/**
 * Loads game records with OpenTafl's own loader. One line for each file of the arguments:
 *
 *   FILE MAIN ALL COMMENTS     moves of the main line, moves of all variations together, moves with a comment
 *   FILE fail REASON
 */
public class Records {
    public static void main(String[] files) {
        PrintStream answers = System.out;
        System.setOut(System.err); // for what OpenTafl itself prints
        Log.level = Log.Level.CRITICAL;
        Coord.initialize();
        for (String file : files) {
            String name = new File(file).getName();
            try {
                GameSerializer.GameContainer loaded = GameSerializer.loadGameRecordFile(new File(file));
                int comments = comments(loaded.moves);
                for (GameSerializer.VariationContainer variation : loaded.variations) comments += comments(variation.moves);
                int main = loaded.moves.size();
                ReplayGame replay = new ReplayGame(loaded.game, loaded.moves, loaded.variations);
                Set<GameState> states = new HashSet<>();
                for (GameState state : replay.getGame().getHistory()) collect((ReplayGameState) state, states);
                answers.println(name + " " + main + " " + (states.size() - 1) + " " + comments);
            } catch (Exception error) {
                answers.println(name + " fail " + error);
            }
        }
    }

    private static int comments(List<DetailedMoveRecord> moves) {
        int found = 0;
        for (DetailedMoveRecord move : moves) if (move.getComment() != null && !move.getComment().isEmpty()) found++;
        return found;
    }

    private static void collect(ReplayGameState state, Set<GameState> states) {
        if (!states.add(state)) return;
        for (Variation variation : state.getVariations())
            for (ReplayGameState next : variation.getStates()) collect(next, states);
    }
}
