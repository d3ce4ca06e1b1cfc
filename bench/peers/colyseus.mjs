// Mangala on Colyseus: a room is a table of two, and sends a patch after each move.
//   node colyseus.mjs PORT

import { createServer } from "node:http";
import { Room, Server } from "@colyseus/core";
import { schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { START, isLegal, sow } from "./mangala.mjs";

const OVER = 2;

const Table = schema({ board: t.array("uint8"), turn: t.uint8(), ply: t.uint16() }, "Table");

class Mangala extends Room {
    onCreate() {
        this.maxClients = 2;
        // Not twenty times a second, but when there is something to send.
        this.patchRate = null;
        this.state = new Table({ board: [...START], turn: 0, ply: 0 });
        this.seats = [];
        this.onMessage("move", (client, pit) => this.move(this.seats.indexOf(client.sessionId), pit));
        this.onMessage("again", () => this.again());
    }

    onJoin(client) {
        this.seats.push(client.sessionId);
    }

    move(seat, pit) {
        const { board, turn } = this.state;
        if (seat !== turn || !isLegal(board, seat, pit)) return;
        const counts = Array.from(board);
        const next = sow(counts, seat, pit);
        for (let place = 0; place < 14; place++) if (board[place] !== counts[place]) board[place] = counts[place];
        this.state.turn = next ?? OVER;
        this.state.ply += 1;
        this.broadcastPatch();
    }

    again() {
        if (this.state.turn !== OVER) return;
        for (let place = 0; place < 14; place++) this.state.board[place] = START[place];
        this.state.turn = 0;
        this.state.ply = 0;
        this.broadcastPatch();
    }
}

const server = new Server({ greet: false, transport: new WebSocketTransport({ server: createServer() }) });
server.define("mangala", Mangala);
await server.listen(Number(process.argv[2]), "127.0.0.1");
