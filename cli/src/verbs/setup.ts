import { resolve } from 'node:path'
import { configOf, PAYMENTS } from '../config.ts'
import { Desk } from '../desk.ts'
import { UsageError } from '../failure.ts'
import { configFile, readObject, writeOwn } from '../own-files.ts'
import type { Arguments, Verb } from '../verb.ts'

export const setup: Verb = {
  usage: '--market URL KEYS',
  summary: 'writes the configuration: the market, the keys and a node',
  details: `  --market URL         the market
  --node URL           Bitcoin Core's RPC with user and password, and a transaction index: proves coins, checks receipts, exits
  --ord URL            an ord server or ordbook of your own: proves the payment coins that the node cannot
and one place of keys:
  --seed-file FILE     BIP-39 words, or a seed in hex; with --account N and --payment ${PAYMENTS.join('|')}
  --passphrase-file F  the passphrase of the words
  --descriptor-file F  descriptors with private keys, one a line: tr(KEY), and one for payments
  --core URL           a wallet of Bitcoin Core: http://user:password@host:port/wallet/NAME; --cookie-file F in place of a password
  --psbt-folder DIR    PSBTs are written there and signed elsewhere; with --ordinals-address, --ordinals-key, --payment-address
                       and --payment-key (public keys)
  --demo first|second  a wallet of the demo market, whose keys are public`,
  options: {
    'seed-file': { type: 'string' },
    account: { type: 'string' },
    payment: { type: 'string' },
    'passphrase-file': { type: 'string' },
    'descriptor-file': { type: 'string' },
    core: { type: 'string' },
    'cookie-file': { type: 'string' },
    'psbt-folder': { type: 'string' },
    'ordinals-address': { type: 'string' },
    'ordinals-key': { type: 'string' },
    'payment-address': { type: 'string' },
    'payment-key': { type: 'string' },
    demo: { type: 'string' },
  },
  async run(desk, given) {
    const path = configFile()
    const wallet = walletOf(given)
    const { market, node, ord } = desk.config
    const value = {
      ...readObject(path),
      market,
      ...(node === null ? {} : { node }),
      ...(ord === null ? {} : { ord }),
      wallet,
    }
    const config = configOf(value, path)
    const { ordinalsAddress, paymentAddress } = (await new Desk(() => config, desk.out, desk.flags).own())
      .wallet
    if (!desk.flags.isDryRun) writeOwn(path, `${JSON.stringify(value, null, 2)}\n`)
    return {
      document: { file: path, market, ordinalsAddress, paymentAddress },
      text: `inscriptions at ${ordinalsAddress}, payments at ${paymentAddress}\n${desk.flags.isDryRun ? 'would write' : 'wrote'} ${path}`,
    }
  },
}

/** The wallet of a configuration, by the one flag that names a place of keys. Throws UsageError. */
function walletOf(given: Arguments): object {
  const place = ['seed-file', 'descriptor-file', 'core', 'psbt-folder', 'demo'].filter((name) =>
    given.has(name),
  )
  if (place.length !== 1) throw new UsageError('name one place of keys')
  const fileOf = (name: string) => {
    const file = given.text(name)
    return file === undefined ? undefined : resolve(file)
  }
  switch (place[0]) {
    case 'seed-file':
      return {
        kind: 'seed',
        file: fileOf('seed-file'),
        account: given.count('account', 0, 0x7fffffff),
        payment: given.text('payment'),
        passphraseFile: fileOf('passphrase-file'),
      }
    case 'descriptor-file':
      return { kind: 'descriptor', file: fileOf('descriptor-file') }
    case 'core':
      return {
        kind: 'core',
        url: given.text('core'),
        cookieFile: fileOf('cookie-file'),
        ordinalsAddress: given.text('ordinals-address'),
        paymentAddress: given.text('payment-address'),
      }
    case 'psbt-folder':
      return {
        kind: 'files',
        folder: fileOf('psbt-folder'),
        ordinalsAddress: given.text('ordinals-address'),
        ordinalsPublicKey: given.text('ordinals-key'),
        paymentAddress: given.text('payment-address'),
        paymentPublicKey: given.text('payment-key'),
      }
    default:
      return { kind: 'demo', name: given.text('demo') }
  }
}
