export const short = { en_US: 'Your own Bitcoin ordinals marketplace' }

export const long = {
  en_US:
    'A marketplace for inscriptions on your own node. Visitors list, buy, bid and swap with their own wallets, and each trade is settled on the chain. It has pages, an API and an SDK.',
}

export const installAlert = {
  en_US:
    'Bitcoin must be unpruned with the transaction index (txindex). The service then indexes the chain before the market opens, which takes days and a lot of disk space.',
}

export const restoreAlert = {
  en_US: 'A restore ends every order of the market. Wallets can create new orders.',
}

export const bitcoinDescription = { en_US: 'The market reads blocks and broadcasts trades through it.' }
