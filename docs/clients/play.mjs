// Plays one seat of a game of mancala over HTTP and server-sent events. Node 18 or newer, nothing to install.
//   node play.mjs http://localhost:8080             invites somebody and prints the link
//   node play.mjs http://localhost:8080 <joinUrl>   follows the link

const [base, link] = process.argv.slice(2);
const pause = () => new Promise((done) => setTimeout(done, 300));
let me, game, key, position, turn, end;

// The same request until there is an answer: its id makes sure that a command is executed once.
async function ask(method, path, body) {
  for (;; await pause()) {
    const headers = { 'content-type': 'application/json', ...(me && { authorization: `Bearer ${me.token}` }) };
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) }).catch(() => null);
    if (answer && answer.status < 500 && answer.status !== 429) return answer.json();
  }
}

// What happened after `position`, each with the position held after it.
async function* events() {
  const headers = { authorization: `Bearer ${me.token}`, 'last-event-id': position ?? '' };
  const { body } = await fetch(`${base}/games/${game}/events`, { headers });
  let [text, held] = ['', position];
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + part).split('\n');
    text = lines.pop();
    for (const line of lines) {
      if (line.startsWith('id: ')) held = line.slice(4);
      if (line.startsWith('data: {"channel"')) yield [held, JSON.parse(line.slice(6)).payload];
    }
  }
}

me = await ask('POST', '/guests', { name: 'JavaScript' });
const url = link ?? (await ask('POST', '/games', { kind: 'mancala' })).joinUrl;
[, game, key] = url.match(/\/join\/(.+)\?token=(.+)/);
if (link) await ask('POST', `/games/${game}/join`, { id: 'join', token: key });
else console.log(url);
while ((await ask('GET', `/games/${game}`)).status === 404) await pause(); // until somebody follows the link

for (; !end; await pause()) try {
  for await (const [held, payload] of events()) {
    position = held;
    if (held === 'end') end = payload.game.record ?? payload.game;
    turn = (payload.game ?? payload.change ?? payload).turnPlayerId ?? turn;
    const { moves } = turn === me.userId ? await ask('GET', `/games/${game}/moves`) : {};
    // Its id is the position: whatever is sent again from there is the same command.
    const move = moves?.[Math.floor(Math.random() * moves.length)];
    if (moves?.length) await ask('POST', `/games/${game}/moves`, { id: position, position, move });
  }
} catch (error) { console.error(`${error.message}; coming back with ${position}`); }
console.log(`${end.result} ${end.endReason} after ${end.moveCount} moves`);
