/** Texts about separating the contents of a coin. */
export const split = {
  separate: 'Separate the coin',
  running: 'Separating the coin',
  sent: (txid: string) =>
    `Sent in ${txid}. After the next block, in about 10 minutes, each is in a separate coin.`,
  inEscrow: (name: string) => `${name} is in escrow. Withdraw it first.`,
  notYours: 'The coin is at neither address of your wallet.',
  tooMany: (most: number) =>
    `The coin contains more than ${most} inscriptions. Separate it with the command "ordbook split".`,
  cannot: {
    'sats-too-close':
      'Two inscriptions of the coin are too close together. Separate it with the command "ordbook split".',
    'nothing-to-split': 'The coin contains nothing else that can be separated.',
    'coins-insufficient':
      'Your payment address needs one or two more coins for this transaction. Send some BTC to it first.',
  } as Readonly<Record<string, string>>,
  unsentTitle: (name: string) => `The coin of ${name}: signed, not sent`,
  unsentWhy:
    'Your wallet signed this transaction, which moves the contents of your coin to separate coins. Keep a copy: any node or block explorer can send it.',
  file: 'separate-coin.txt',
} as const
