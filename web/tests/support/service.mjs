// The real service, embedded, on a directory of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READY_WITHIN_MS = 30_000;

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export class Service {
  /** @param {string[]} flags */
  static async start(flags = []) {
    const binary = process.env.TURNSTREAM_BINARY;
    if (!binary) throw new Error('TURNSTREAM_BINARY names the binary to test');
    const service = new Service();
    service.binary = binary;
    service.flags = flags;
    service.port = await freePort();
    service.adminPort = await freePort();
    service.directory = await mkdtemp(join(tmpdir(), 'turnstream-web-'));
    await service.run();
    return service;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async run() {
    this.log = '';
    const own = ['--listen', `127.0.0.1:${this.port}`, '--admin-listen', `127.0.0.1:${this.adminPort}`, '--data-dir', this.directory];
    // Nothing of the caller's settings, which would configure servers.
    const environment = { PATH: process.env.PATH, HOME: this.directory };
    this.process = spawn(this.binary, ['serve', ...own, ...this.flags], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    this.process.stderr.on('data', (data) => (this.log += data));
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.ok) return;
      if (Date.now() > deadline || this.process.exitCode !== null) throw new Error(`the service is not ready:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** Without a word to anybody. */
  async kill() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }

  async end() {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}
