// Serves the client from its files, and everything else from a running service: for work on the client without
// building the service.
//
//   node web/tools/serve.mjs [PORT] [SERVICE]     8081 and http://127.0.0.1:8080

import { createServer, request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { extname } from 'node:path';

const port = Number(process.argv[2] ?? 8081);
const service = new URL(process.argv[3] ?? 'http://127.0.0.1:8080');
const root = new URL('../', import.meta.url);
const types = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.html': 'text/html' };
const PAGE = /^\/((new|history|(play|replay|join)\/[^/]+)\/?)?$/;

const server = createServer(async (incoming, outgoing) => {
  const { pathname } = new URL(incoming.url, 'http://localhost');
  const file = PAGE.test(pathname) ? 'index.html' : pathname.startsWith('/web/') ? pathname.slice('/web/'.length) : null;
  if (file) {
    const body = await readFile(new URL(file, root)).catch(() => null);
    outgoing.writeHead(body ? 200 : 404, { 'content-type': types[extname(file)] ?? 'text/plain', 'cache-control': 'no-store' });
    return outgoing.end(body);
  }
  const onward = request(new URL(incoming.url, service), { method: incoming.method, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.writeHead(502).end());
  incoming.pipe(onward);
});

// A socket is passed through as it is.
server.on('upgrade', (incoming, socket, head) => {
  const onward = connect(Number(service.port), service.hostname, () => {
    const headers = incoming.rawHeaders.reduce((text, part, index) => text + part + (index % 2 ? '\r\n' : ': '), '');
    onward.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${headers}\r\n`);
    onward.write(head);
    onward.pipe(socket).pipe(onward);
  });
  for (const side of [socket, onward]) side.on('error', () => (socket.destroy(), onward.destroy()));
});

server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
