import { count } from '../format/format.ts'

/** Status and steps of a trade on its page. */
export const swapTurn = {
  yourTurn: 'Your turn: complete the trade',
  signLast: (address: string, at: string, until: string) =>
    `${address} accepted and signed ${at}. You sign last. If you decline, your proposal stays open, and you can withdraw it. If you do nothing, the trade ends on ${until} and nothing moves.`,
  waitingFor: (address: string) => `Waiting for ${address} to complete`,
  youSigned: (at: string) =>
    `You accepted and signed ${at}. Nothing moves until they sign. You can withdraw until then.`,
  confirming: 'Nothing to do: the trade is being completed',
  bothSigned: 'Both sides have signed one transaction. It confirms with the next block, in about 10 minutes.',
  completed: 'Nothing to do: the trade is complete',
  bothMoved: 'Both sides moved in one transaction.',
  waitingForAnyone: 'Waiting for someone to accept',
  nothingLocked: 'Nothing is signed or locked. You sign last, after someone has accepted and signed.',
  acceptable: 'Open: you can accept this trade',
  acceptText: 'You sign first, the proposer signs last. Until then nothing moves and you can withdraw.',
  ended: (reason: string) => `Your acceptance ended: ${reason}. You can accept again.`,
  onHold: 'On hold: an offered item is moving',
  onHoldText: 'Nobody can accept the trade until the item is back.',
  over: {
    accepted: ['Nothing to do: the trade is taken', 'Both of its sides have signed.'],
    cancelled: ['Nothing to do: the proposal was withdrawn', 'Nothing moved.'],
    expired: ['Nothing to do: the proposal expired', 'Nothing moved.'],
  },
  by: (isMine: boolean, at: string) => `by ${isMine ? 'you' : 'them'}, ${at}`,
  signsFirst: 'Signs first',
  signsLast: 'Signs last',
  underAMinute: 'Usually under a minute',
  tenMinutes: 'About 10 minutes',
  block: (height: number) => `In block ${count(height)}`,
  steps: {
    proposed: 'Proposed',
    accepted: 'Accepted',
    youComplete: 'You complete',
    theyComplete: 'They complete',
    mempool: 'In the mempool',
    confirmed: 'Confirmed, receipt',
  },
} as const
