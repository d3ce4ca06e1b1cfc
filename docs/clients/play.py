# Plays one seat of a game of mancala over HTTP and server-sent events. Python 3.11 or newer, nothing to install.
#   python3 play.py http://localhost:8080             invites somebody and prints the link
#   python3 play.py http://localhost:8080 <joinUrl>   follows the link

import contextlib, http.client, json, random, sys, time

base, link = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
me = position = turn = end = None
BROKEN = OSError, http.client.HTTPException


def send(method, path, body=None, **headers):
    scheme, _, host = base.partition("://")
    connection = (http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection)(host, timeout=60)
    headers |= {"authorization": f"Bearer {me['token']}"} if me else {}
    connection.request(method, path, body and json.dumps(body), headers)
    return connection.getresponse()


# The same request until there is an answer: its id makes sure that a command is executed once.
def ask(method, path, body=None):
    while True:
        with contextlib.suppress(*BROKEN):
            answer = send(method, path, body)
            if answer.status < 500 and answer.status != 429:
                return json.load(answer)
        time.sleep(0.3)


# What happened after `position`, each with the position held after it.
def events():
    held = position
    for line in send("GET", f"/games/{game}/events", **{"last-event-id": position or ""}):
        name, _, value = line.decode().strip().partition(": ")
        held = value if name == "id" else held
        if value.startswith('{"channel"'):
            yield held, json.loads(value)["payload"]


me = ask("POST", "/guests", {"name": "Python"})
url = link or ask("POST", "/games", {"kind": "mancala"})["joinUrl"]
game, key = url.split("/join/")[1].split("?token=")
print(ask("POST", f"/games/{game}/join", {"id": "join", "token": key}) if link else url, flush=True)
while ask("GET", f"/games/{game}")["status"] == 404:
    time.sleep(0.3)  # until somebody follows the link

while not end:
    with contextlib.suppress(*BROKEN):
        for position, payload in events():
            end = (payload["game"].get("record") or payload["game"]) if position == "end" else None
            turn = (payload.get("game") or payload.get("change") or payload).get("turnPlayerId", turn)
            if turn == me["userId"] and (moves := ask("GET", f"/games/{game}/moves")["moves"]):
                # Its id is the position: whatever is sent again from there is the same command.
                command = {"id": position, "position": position, "move": random.choice(moves)}
                ask("POST", f"/games/{game}/moves", command)
    time.sleep(0.3)
print(f"{end['result']} {end['endReason']} after {end['moveCount']} moves")
