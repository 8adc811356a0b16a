import { resolve } from 'node:path'
import { configOf, PAYMENTS } from '../config.ts'
import { UsageError } from '../failure.ts'
import { configFile, readObject, writeOwn } from '../own-files.ts'
import { TradeSession } from '../trade-session.ts'
import { type Arguments, missing, type Verb } from '../verb.ts'

export const setup: Verb = {
  usage: '--market URL KEYS',
  summary: 'Write the configuration: market, keys and node',
  details: `  --market URL         URL of the market
  --node URL           Bitcoin Core RPC URL with user name and password; needs txindex. Proves coins, verifies receipts, broadcasts exits
  --ord URL            Your own ord server or ordbook. Proves payment coins that the node cannot prove

Keys, from one of:
  --seed-file FILE     BIP-39 words, or a seed in hex; with --account N and --payment ${PAYMENTS.join('|')}
  --passphrase-file F  Passphrase of the words
  --descriptor-file F  Descriptors with private keys, one per line: tr(KEY), and one for payments
  --core URL           Bitcoin Core wallet: http://user:password@host:port/wallet/NAME; --cookie-file F replaces the password
  --psbt-folder DIR    Write PSBTs to this folder, to be signed elsewhere; with --ordinals-address, --ordinals-key, --payment-address
                       and --payment-key (public keys)
  --demo first|second  Wallet of the demo market; its keys are public`,
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
  async run(desk, args) {
    const path = configFile()
    const wallet = walletOf(args)
    const { market, node, ord } = desk.config
    const value = {
      ...readObject(path),
      market,
      ...(node === null ? {} : { node }),
      ...(ord === null ? {} : { ord }),
      wallet,
    }
    const config = configOf(value, path)
    const { ordinalsAddress, paymentAddress } = (
      await new TradeSession(() => config, desk.out, desk.flags).own()
    ).wallet
    if (!desk.flags.isDryRun) writeOwn(path, `${JSON.stringify(value, null, 2)}\n`)
    return {
      document: { file: path, market, ordinalsAddress, paymentAddress },
      text: [
        `inscriptions at ${ordinalsAddress}, payments at ${paymentAddress}`,
        `${desk.flags.isDryRun ? 'would write' : 'wrote'} ${path}`,
      ],
    }
  },
}

/** Builds the wallet configuration from the only option that selects keys. Throws UsageError. */
function walletOf(args: Arguments): object {
  const sources = ['seed-file', 'descriptor-file', 'core', 'psbt-folder', 'demo'].filter((name) =>
    args.has(name),
  )
  if (sources.length !== 1) throw new UsageError('expected exactly one source of keys')
  const fileOf = (name: string) => {
    const file = args.text(name)
    return file === undefined ? undefined : resolve(file)
  }
  switch (sources[0]) {
    case 'seed-file':
      return {
        kind: 'seed',
        file: fileOf('seed-file'),
        account: args.count('account', 0, 0x7fffffff),
        payment: args.text('payment'),
        passphraseFile: fileOf('passphrase-file'),
      }
    case 'descriptor-file':
      return { kind: 'descriptor', file: fileOf('descriptor-file') }
    case 'core':
      return {
        kind: 'core',
        url: args.text('core'),
        cookieFile: fileOf('cookie-file'),
        ordinalsAddress: args.text('ordinals-address'),
        paymentAddress: args.text('payment-address'),
      }
    case 'psbt-folder':
      return {
        kind: 'files',
        folder: fileOf('psbt-folder'),
        ordinalsAddress: args.text('ordinals-address') ?? missing('--ordinals-address ADDRESS'),
        ordinalsPublicKey: args.text('ordinals-key') ?? missing('--ordinals-key HEX'),
        paymentAddress: args.text('payment-address') ?? missing('--payment-address ADDRESS'),
        paymentPublicKey: args.text('payment-key') ?? missing('--payment-key HEX'),
      }
    default:
      return { kind: 'demo', name: args.text('demo') }
  }
}
