// What lies between people and the service: a proxy that is cut, or swallows everything without a word.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Network {
  /** @param {import('./service.mjs').Service} service */
  static async to(service) {
    const network = new Network();
    network.service = service;
    network.whole = true;
    network.sockets = new Set();
    network.server = createServer((socket) => network.#pass(socket)).listen(0, '127.0.0.1');
    await once(network.server, 'listening');
    network.url = `http://127.0.0.1:${network.server.address().port}`;
    return network;
  }

  #pass(socket) {
    if (!this.whole) return socket.resetAndDestroy();
    const onward = connect(this.service.port, '127.0.0.1');
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ]) {
      this.sockets.add(from);
      // What was connected before the silence stays silent.
      from.on('data', (data) => !from.muted && to.write(data));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => (this.sockets.delete(from), to.destroy()));
    }
  }

  /** Breaks every connection, and lets nobody through until it is mended. */
  cut() {
    this.whole = false;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  mend() {
    this.whole = true;
  }

  /** Whatever is connected now hears and says nothing any more, and does not learn of it. Nobody else is let through. */
  hush() {
    this.whole = false;
    for (const socket of this.sockets) socket.muted = true;
  }

  end() {
    this.cut();
    this.server.close();
  }
}
