import { plural } from './plural.ts'

const whole = new Intl.NumberFormat('en')

export const progress = {
  bought: (txid: string) =>
    `Bought in ${txid}. In the mempool. Yours after the next block, about 10 minutes.`,
  title: 'Progress',
  check: 'Check the trade',
  wallet: 'your wallet',
  sign: (wallet: string) => `Sign in ${wallet}`,
  signed: (signed: number, of: number) => `${signed} of ${of}`,
  notAnswered:
    'Your wallet has not responded. Open it, or try again. Nothing was sent. The trade continues when you respond in the wallet.',
  /** `count`: the transactions that the wallet will show. `windows`: in how many windows, if known. */
  signWait: (count: number, windows?: number) =>
    `${count === 1 ? '' : `${whole.format(count)} transactions to sign${windows === undefined ? ', together or one by one' : `, in ${plural(windows, { one: '# wallet window', other: '# wallet windows' })}`}. `}Nothing is sent before you sign.`,
  send: 'Send',
  save: 'Send to the market',
  mempool: 'In the mempool',
  mempoolWait: 'Usually under a minute',
  confirmed: (height: number | null) =>
    height === null ? 'Confirmed' : `Confirmed in block ${whole.format(height)}`,
  confirmWait: 'After the next block, about 10 minutes',
  confirmations: (count: number) => plural(count, { one: '# confirmation', other: '# confirmations' }),
  notConfirmed: 'Failed: another transaction spent one of its coins. You were not charged.',
  yours: (name: string) => `${name} is yours.`,
  sold: (name: string) => `${name} is sold.`,
  home: (name: string) => `${name} is back at your address.`,
  moved: (name: string) => `${name} is in a new escrow. Old prices are no longer valid.`,
  transaction: 'Transaction',
  receipt: 'Receipt',
  receiptOf: (name: string, price: string | null) =>
    `Receipt: ${name}${price === null ? '' : ` for ${price}`}`,
  /** The signed-in side of a receipt. */
  sides: {
    bought: { other: 'You bought from', total: 'You paid with fees, without postage and network fee' },
    sold: { other: 'You sold to', total: 'You received after fees, without postage and network fee' },
  },
  kind: 'Trade',
  kinds: {
    purchase: 'Purchase',
    offer: 'Offer accepted',
    counter: 'Counter-offer accepted',
    fill: 'Collection offer accepted',
    swap: 'Trade of items',
    reclaim: 'Withdrawn from escrow',
    move: 'Moved to a new escrow',
    exit: 'Exited escrow',
  },
  sentAt: 'Sent',
  minedAt: 'Confirmed',
  proof: 'Machine-readable proof',
  share: 'Share',
  shared: 'Copied to share',
  shareText: (name: string) => `I just collected ${name}.`,
  done: 'Done',
  failed: 'Failed:',
  inProgress: 'In progress',
  allReceipts: 'All receipts',
  viewReceipt: 'View receipt',
  nothing: 'Nothing is in progress.',
  needYou: (count: number) => plural(count, { one: '# needs you', other: '# need you' }),
  working: (count: number) => `${whole.format(count)} in progress`,
  failedCount: (count: number) => `${whole.format(count)} failed`,
  dismiss: 'Dismiss',
  dismissOf: (title: string) => `Dismiss ${title}`,
  leftUnsent: 'You left the page before your wallet signed. Nothing was sent.',
  leftSending:
    'You left the page while your signature was being sent. The trade may still go through. Check your activity before you sign again.',
  lostSending:
    'The connection dropped while your signature was being sent. The trade may still go through. Check your activity before you sign again.',
  states: {
    check: 'checking',
    sign: 'waiting for your wallet',
    send: 'sending',
    sending: 'sending',
    mempool: 'in the mempool',
    confirmed: 'confirmed',
    failed: 'did not go through',
  },
} as const
