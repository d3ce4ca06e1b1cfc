// Mangala on boardgame.io, with its own server, transport and store in memory.
//   node boardgame-io.mjs PORT

import { INVALID_MOVE } from "boardgame.io/dist/cjs/core.js";
import { Server } from "boardgame.io/dist/cjs/server.js";
import { START, isLegal, sow } from "./mangala.mjs";

const mangala = {
    name: "mangala",
    setup: () => ({ board: [...START], over: false }),
    moves: {
        sow: ({ G, playerID, events }, pit) => {
            const seat = Number(playerID);
            if (!isLegal(G.board, seat, pit)) return INVALID_MOVE;
            const next = sow(G.board, seat, pit);
            G.over = next === null;
            if (next === 1 - seat) events.endTurn();
        },
    },
    endIf: ({ G }) => (G.over ? { stores: [G.board[6], G.board[13]] } : undefined),
    // What is kept for it would be sent with each move.
    disableUndo: true,
    minPlayers: 2,
    maxPlayers: 2,
};

const server = Server({ games: [mangala], origins: ["http://127.0.0.1"] });
// It hands this to node's `listen`: not to listen beyond this machine, an object has to stand for the port.
await server.run({ port: { port: Number(process.argv[2]), host: "127.0.0.1" } });
