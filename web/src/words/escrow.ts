/** The words of escrow: its guarantees, and the ways out of it. */
export const escrow = {
  guarantee:
    'Nothing leaves your wallet for a listing until a buyer pays. An item is in escrow only where a sale was sent and did not follow: it stays yours. Set a new price there, or take it back, which the market pays. In an escrow of the wallet form, your wallet can leave without the market.',
  unsentTitle: (name: string) => `${name}: signed, and not sent`,
  unsent: (reason: string) =>
    `The market did not send it. ${reason} It is signed: copy or download it, and any node or block explorer sends it.`,
  unsentWhy:
    'Your wallet signed this transaction, and it takes your items out of escrow without the market. Keep it whole: any node or block explorer sends it.',
  transaction: 'The signed transaction',
  copy: 'Copy',
  copied: 'Copied',
  download: 'Download',
  file: 'exit-from-escrow.txt',
} as const
