export const short = { en_US: 'A Bitcoin ordinals marketplace of your own' }

export const long = {
  en_US:
    'A marketplace for inscriptions on your own node: visitors list, buy, bid and swap with their own wallets, and each trade is settled on the chain. It has pages, an API and an SDK.',
}

export const installAlert = {
  en_US:
    'Bitcoin must keep all blocks and its index of transactions (txindex). The service then indexes the chain for days, and takes a lot of disk, before the market opens.',
}

export const restoreAlert = {
  en_US: 'Every order of the market ends after a restore; wallets make their orders again.',
}

export const bitcoinDescription = { en_US: 'The market reads blocks from it and sends trades by it.' }
