import { MATRIX, TESTED_ON } from '@ordbook/sdk/wallets/matrix.ts'
import { browserWallets, FLOWS, type Flow } from '@ordbook/sdk/wallets.ts'
import { HOLDINGS } from './holdings.ts'

const flows = Object.entries(FLOWS) as [Flow, { name: string }][]
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
/** A name that a narrow column can hold. */
const shortly = (name: string) => name.replace(/ \(.*\)$/, '')

/** The rows of the table of holdings. */
const holdings = () =>
  HOLDINGS.map(({ adapter, isSeparate, call, checked, source }) => {
    const wallet = browserWallets.find(({ id }) => id === adapter)!
    const proof = isSeparate
      ? 'not needed'
      : wallet.inscriptionsAt
        ? "the wallet's list, else a tick"
        : 'a tick'
    return [
      wallet.name,
      isSeparate ? 'separate' : 'the ordinals address',
      call ?? 'none',
      proof,
      checked,
      `[${new URL(source).host}](${source})`,
    ]
  })

/** docs/reference/wallets.md, from the table that `npm run test:suite -- wallets` wrote. */
export function printWalletsPage(): string {
  const untested = browserWallets.filter(({ id }) => !MATRIX.some(({ adapter }) => adapter === id))
  const failures = MATRIX.flatMap(({ name, fails }) =>
    flows.flatMap(([flow, { name: act }]) => (fails[flow] ? [[shortly(name), act, fails[flow]]] : [])),
  )
  return `# Wallets

\`npm run test:suite -- wallets\` has the signing code of each wallet make every trade at a market on a real node, and prints this page. Server and chain
judge each flow. Last run: ${TESTED_ON}.

${table(
  ['', ...MATRIX.map(({ name }) => shortly(name))],
  flows.map(([flow, { name }]) => [
    name,
    ...MATRIX.map(({ fails }) => (fails[flow] ? '**fails**' : 'works')),
  ]),
)}

## The code that signed

${table(
  ['Wallet', 'Code', 'Asked'],
  MATRIX.map(({ name, code, adapter }) => [
    name,
    code,
    adapter === null || adapter === 'by-hand' ? 'with PSBTs alone' : "by the SDK's adapter",
  ]),
)}
${
  failures.length === 0
    ? ''
    : `
## Failures

${table(['Wallet', 'Flow', 'Reason'], failures)}

embit hashes taproot inputs otherwise than BIP-341: the whole input instead of its outpoint (ANYONECANPAY), and the output instead of its
SHA-256 (SINGLE). \`e2e/wallets/embit.test.ts\` reproduces it without a market. A seller with such a device can accept offers and fill bids; the
legs of a listing and of a counter need another signer.
`
}
## Payment coins

The storefront pays with a coin at the ordinals address only if the wallet's own list of inscriptions leaves it out, or after a tick for
that coin in the review. The market's list does not count. The review shows every own coin that is spent, with its value and address. \`Checked\` is the day on which the call was compared with
the source.

${table(
  ['Wallet', 'Payment address', 'Lists its inscriptions by', 'Proof of payment coins', 'Checked', 'Source'],
  holdings(),
)}

A wallet by file or QR code with one address has no such call: it needs a tick. Lists of inscriptions do not have runes. UniSat's
\`getBitcoinUtxos\` is not used, because its documentation does not say what the coins may hold.

## Untested

The signing code of ${untested.map(({ name }) => name).join(', ')} is closed. \`examineWallet\` of \`@ordbook/sdk/wallets\` tests such a
wallet: it has the wallet sign one PSBT for each kind of signature, none of which can ever be sent, and names the trades that the wallet can
make ([for authors of wallets](../how-to/verify-in-a-wallet.md#an-adapter-for-the-storefront)).
`
}
