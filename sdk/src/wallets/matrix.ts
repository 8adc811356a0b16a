import type { Tested } from './tested.ts'

/** Printed by `npm run test:suite -- wallets --write`. */
export const TESTED_ON = '2026-11-22'

export const MATRIX: readonly Tested[] = [
  {
    name: 'Xverse, native segwit payments',
    adapter: 'xverse',
    code: '@scure/btc-signer 1.6.0: the key before the tweak, otherwise the key after it',
    fails: {},
  },
  {
    name: 'Xverse, nested segwit payments',
    adapter: 'xverse',
    code: '@scure/btc-signer 1.6.0: the key before the tweak, otherwise the key after it',
    fails: {},
  },
  {
    name: 'UniSat',
    adapter: 'unisat',
    code: "the extension's keyring: @unisat/keyring-service 1.7.0, @unisat/wallet-bitcoin 1.3.0",
    fails: {},
  },
  {
    name: 'Leather',
    adapter: 'leather',
    code: '@scure/btc-signer 1.6.0: only the key before the tweak',
    fails: {},
  },
  { name: 'bitcoinjs-lib 6', adapter: null, code: 'bitcoinjs-lib 6.1.7, ecpair 3.0.0', fails: {} },
  { name: 'bitcoinjs-lib 7', adapter: null, code: 'bitcoinjs-lib 7.0.1, ecpair 3.0.0', fails: {} },
  {
    name: 'Bitcoin Knots',
    adapter: 'by-hand',
    code: 'walletprocesspsbt and signmessage of the node in `npm run bitcoind`',
    fails: {},
  },
  {
    name: 'BDK',
    adapter: 'by-hand',
    code: 'bdkpython 3.1.1, by file, with the origins of its keys',
    fails: {},
  },
  {
    name: 'embit (SeedSigner, Krux, Specter-DIY)',
    adapter: null,
    code: 'embit 0.8.0, by file, with the origins of its keys',
    fails: {
      list: 'the sale of …: the signature of input 0 is not valid: Invalid Schnorr signature',
      delist: 'the sale of …: the signature of input 0 is not valid: Invalid Schnorr signature',
      counter: 'the sale of …: the signature of input 0 is not valid: Invalid Schnorr signature',
      exit: 'the sale of …: the signature of input 0 is not valid: Invalid Schnorr signature',
    },
  },
]
