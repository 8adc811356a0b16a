export const escrow = {
  feeRateTooHigh: (satVb: number) =>
    `The market reports a network fee of ${satVb} sat/vB, which is implausibly high. Nothing was signed. Try again later.`,
  guarantee:
    'Nothing leaves your wallet for a listing until a buyer pays. An item is in escrow only if a sale was sent and did not complete, and it is still yours. Set a new price, or withdraw the item: the market pays the network fee. If the escrow has the wallet form, your wallet can exit without the market.',
  untilSold: 'It stays in your wallet until it sells',
  title: 'In escrow, still yours',
  yours:
    'Escrow is an address from which a sale needs your signature and the market’s. The item moved there for a sale that did not complete, and the market alone cannot move it. You can:',
  sell: 'Sell it from escrow',
  sellHow: 'Press "List for sale" above. It costs nothing, and no transaction is sent.',
  takeBack: 'Withdraw',
  takeBackHow: 'You sign once. The market signs too, and pays the network fee.',
  leave: 'Exit without the market',
  leaveHow: 'Your wallet withdraws it without the market. You pay the network fee.',
  leaveByKey: 'To exit this escrow without the market, you need the private key of your ordinals address.',
  move: 'End old prices on chain',
  moveHow:
    'A sale at an old price needs the market’s signature, and the market no longer gives it. So that you need not rely on that, move the inscription to a new escrow. You pay the network fee.',
  takingBack: 'Withdrawing',
  leaving: 'Exiting escrow',
  moving: 'Moving to a new escrow',
  sentHome: (txid: string) => `Sent to your address in ${txid}.`,
  sentOn: (txid: string) => `Sent to a new escrow in ${txid}.`,
  unsentTitle: (name: string) => `${name}: signed, not sent`,
  unsent: (reason: string) =>
    `The market did not send the transaction. ${reason} The transaction is signed. Copy or download it; any node or block explorer can send it.`,
  unsentWhy:
    'Your wallet signed this transaction, which withdraws your items from escrow without the market. Keep a copy: any node or block explorer can send it.',
  transaction: 'The signed transaction',
  copy: 'Copy',
  copied: 'Copied',
  download: 'Download',
  file: 'exit-from-escrow.txt',
} as const
