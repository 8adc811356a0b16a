/**
 * Withdraws an inscription from escrow without the market. COSIGN_KEY is the market's key from `GET /keys`; store it before you trade.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   COSIGN_KEY=HEX npx node sdk/examples/exit-escrow.ts TXID:VOUT 5
 */
import { parseOutpoint } from '@ordbook/bitcoin/outpoint'
import { escrowFormOf, exitEscrow } from '@ordbook/sdk'
import { ownNode, ownWallet, readArguments } from './settings.ts'

const [escrow = '', feeRate] = readArguments('TXID:VOUT SATS_PER_VBYTE')
const cosignKey = process.env.COSIGN_KEY
if (!cosignKey)
  throw new Error(
    'COSIGN_KEY is missing. Set it to the co-sign key of the market where the inscription was listed.',
  )
const node = ownNode()
const wallet = ownWallet()

const outpoint = parseOutpoint(escrow)
const output = await node.output(outpoint)
if (!output) throw new Error(`${escrow} is spent or does not exist.`)
const coins = await node.coinsOf(wallet.paymentScript)

// With full previous transactions, a wrong value or script is rejected.
const previous = new Map()
for (const { txid } of [outpoint, ...coins]) previous.set(txid, (await node.transaction(txid)).tx)

const { tx, feeSats } = await exitEscrow(wallet, {
  escrows: [{ ...outpoint, valueSats: output.valueSats, form: escrowFormOf(wallet), cosignKey }],
  coins,
  feeRateSatVb: Number(feeRate),
  previous,
})
console.log(JSON.stringify({ txid: await node.send(tx), feeSats }))
