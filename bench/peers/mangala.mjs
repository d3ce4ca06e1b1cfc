// The rules of Turkish mangala, as the other servers of the comparison use them. The board has 14 counts of stones: 0-5 the
// pits of player 0, 6 their store, 7-12 the pits of player 1, 13 their store.

export const START = [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0];

const store = (seat) => (seat === 0 ? 6 : 13);
const isEmpty = (board, seat) => {
    for (let pit = seat * 7; pit < seat * 7 + 6; pit++) if (board[pit] > 0) return false;
    return true;
};

export const isLegal = (board, seat, pit) =>
    Number.isInteger(pit) && pit >= seat * 7 && pit < seat * 7 + 6 && board[pit] > 0;

// Sows a pit of `seat`, changing `board`. Returns who moves next, or null when the game is over.
export function sow(board, seat, pit) {
    const own = store(seat);
    const skipped = store(1 - seat);
    const stones = board[pit];
    board[pit] = 0;
    let last = pit;
    for (let sown = 0; sown < stones; sown++) {
        if (sown > 0 || stones === 1) {
            last = (last + 1) % 14;
            if (last === skipped) last = (last + 1) % 14;
        }
        board[last] += 1;
    }
    if (last !== own) {
        const isOwn = Math.floor(last / 7) === seat;
        if (isOwn && board[last] === 1 && board[12 - last] > 0) {
            board[own] += 1 + board[12 - last];
            board[last] = board[12 - last] = 0;
        } else if (!isOwn && board[last] % 2 === 0) {
            board[own] += board[last];
            board[last] = 0;
        }
    }
    for (const cleared of [seat, 1 - seat]) {
        if (!isEmpty(board, cleared)) continue;
        const first = (1 - cleared) * 7;
        for (let rest = first; rest < first + 6; rest++) {
            board[store(cleared)] += board[rest];
            board[rest] = 0;
        }
        return null;
    }
    return last === own ? seat : 1 - seat;
}
