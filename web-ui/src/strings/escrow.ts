/** Texts of escrow: its guarantees, and the ways to withdraw. */
export const escrow = {
  feeRateTooHigh: (satVb: number) =>
    `The market names a network fee of ${satVb} sat/vB, which is too high to be right. Nothing was signed. Try again later.`,
  guarantee:
    'Nothing leaves your wallet for a listing until a buyer pays. An item is in escrow only where a sale was sent and did not follow: it stays yours. Set a new price there, or take it back, which the market pays. In an escrow of the wallet form, your wallet can leave without the market.',
  untilSold: 'It stays in your wallet until it sells',
  title: 'In escrow, still yours',
  yours:
    'It moved to escrow for a sale that did not complete. The market cannot move it on its own. You can:',
  sell: 'Sell it from here',
  sellHow: 'Set a price or a new one above. It costs nothing, and nothing is sent.',
  takeBack: 'Take it back',
  takeBackHow: 'You sign once. The market signs too, and pays the network fee.',
  leave: 'Exit without the market',
  leaveHow: 'Your wallet withdraws it without the market. You pay the network fee.',
  leaveByKey: 'This escrow lets you leave without the market by the private key of your ordinals address.',
  move: 'End old prices on chain',
  moveHow:
    'The market no longer signs your old prices. To make them invalid for everyone, move the inscription to a new escrow. You pay the network fee.',
  takingBack: 'Taking it back',
  leaving: 'Leaving escrow',
  moving: 'Moving to a new escrow',
  sentHome: (txid: string) => `On its way to your address in ${txid}.`,
  sentOn: (txid: string) => `On its way to a new escrow in ${txid}.`,
  unsentTitle: (name: string) => `${name}: signed, not sent`,
  unsent: (reason: string) =>
    `The market did not send it. ${reason} It is signed. Copy or download it; any node or block explorer can send it.`,
  unsentWhy:
    'Your wallet signed this transaction, and it takes your items out of escrow without the market. Keep a copy: any node or block explorer can send it.',
  transaction: 'The signed transaction',
  copy: 'Copy',
  copied: 'Copied',
  download: 'Download',
  file: 'exit-from-escrow.txt',
} as const
