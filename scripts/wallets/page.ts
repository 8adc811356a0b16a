import { MATRIX, TESTED_ON } from '@ordbook/sdk/wallets/matrix.ts'
import { browserWallets, FLOWS, type Flow } from '@ordbook/sdk/wallets.ts'
import { HOLDINGS } from './holdings.ts'

const flows = Object.entries(FLOWS) as [Flow, { name: string }][]
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
const shortName = (name: string) => name.replace(/ \(.*\)$/, '')

const holdings = () =>
  HOLDINGS.map(({ adapter, isSeparate, call, checked, source }) => {
    const wallet = browserWallets.find(({ id }) => id === adapter)!
    const proof = isSeparate
      ? 'not needed'
      : wallet.inscriptionsAt
        ? "the wallet's list, otherwise a confirmation"
        : 'a confirmation'
    return [
      wallet.name,
      isSeparate ? 'separate' : 'the ordinals address',
      call ?? 'none',
      proof,
      checked,
      `[${new URL(source).host}](${source})`,
    ]
  })

/** Prints docs/reference/wallets.md. */
export function printWalletsPage(): string {
  const untested = browserWallets.filter(({ id }) => !MATRIX.some(({ adapter }) => adapter === id))
  const results = MATRIX.map(({ name, code, fails }) => ({
    name: shortName(name),
    code,
    failed: flows.flatMap(([flow, { name: act }]) => (fails[flow] ? [{ act, reason: fails[flow] }] : [])),
  }))
  const failures = results.flatMap(({ name, failed }) =>
    [...Map.groupBy(failed, ({ reason }) => reason)].map(([reason, flow]) => [
      name,
      flow.map(({ act }) => act).join(', '),
      reason,
    ]),
  )
  return `# Wallets

\`npm run test:suite -- wallets\` makes every trade with every wallet's signing code, on a market with a real node. Last run: ${TESTED_ON}.
The flows are: ${flows.map(([, { name }]) => name).join(', ')}.

${table(
  ['Wallet', 'Signing code', 'Flows that work'],
  results.map(({ name, code, failed }) => [
    name,
    code,
    failed.length === 0 ? 'all' : `all but ${failed.length}`,
  ]),
)}
${
  failures.length === 0
    ? ''
    : `
${table(['Wallet', 'Failed flows', 'Reason'], failures)}

embit hashes taproot inputs differently from BIP-341 (\`e2e/wallets/embit.test.ts\`). With such a device a seller can accept offers and fill
collection offers, but not list.
`
}
## Payment coins

The storefront spends a coin at the ordinals address only if the wallet's own list of inscriptions does not contain it, or if the user
confirms it in the review. The review shows every own coin that is spent.

${table(['Wallet', 'Payment address', 'Lists its inscriptions by', 'Proof of payment coins', 'Checked', 'Source'], holdings())}

A wallet by file or QR code has no such list: with one address, each coin needs a confirmation. The lists do not contain runes.

## Untested

No signing code is published for ${untested.map(({ name }) => name).join(', ')}. Test such a wallet with \`examineWallet\` of
\`@ordbook/sdk/wallets\` ([how](../how-to/verify-in-a-wallet.md#test-a-wallet)).
`
}
