export const how = {
  title: 'How trading works',
  lead: 'Every trade is one Bitcoin transaction. Either all of it happens or none of it does.',
  steps: [
    {
      title: 'You connect a wallet',
      text: 'You sign a message that names this market. Nothing is spent, and the market never holds your keys.',
    },
    {
      title: 'A seller lists',
      text: 'The seller signs the sale in advance, for one price. The inscription stays theirs until it sells, and they can delist it at any time.',
    },
    {
      title: 'You see the whole bill',
      text: 'Before your wallet opens, this page reads the transaction and shows what leaves your wallet, what arrives, and every fee, to the sat.',
    },
    {
      title: 'You sign',
      text: 'Your browser checks each transaction before your wallet signs. If it differs from what you saw, nothing is signed.',
    },
    {
      title: 'The network confirms',
      text: 'The trade waits in the mempool, usually about ten minutes. The market raises its fee if blocks are full. After that the item is yours.',
    },
  ],
  guarantees: 'What protects you',
  protections: [
    'The seller is paid in the transaction that delivers the item.',
    'The market cannot change a price that you signed.',
    'You can withdraw your item from escrow without the market, with your own key.',
    'Every sale has a public receipt that anyone can check against the chain.',
  ],
  trust:
    'A collection or trait offer requires more trust: the market and its guardian together could misuse it. Offer no more than you can afford to lose.',
  fees: 'Fees',
  sellerFee: 'Seller fee',
  buyerFee: 'Buyer fee',
  collectionOfferFee: 'Collection-offer fee',
  tradeFee: 'Trade fee',
  more: 'Creators can charge a royalty, and the network charges a fee. Both are in the bill.',
} as const
