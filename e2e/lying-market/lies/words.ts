import { at, type Exchange, type Liar, type Lie, nameOf, type Path, valuesOf } from '../exchange.ts'

const TXID = /^[0-9a-f]{64}$/
/** Fields with amounts, and with the leg that the wallet signs. */
const MONEY =
  /^(priceSats|totalBuyerCostSats|buyerPayTotalSats|sellerReceiveSats|donationSats|inscriptionUtxoValueSats|listingTransferFeeSats|estimatedNetworkFeeSats|cpfpFeeSats|fundingParentVout|feeSats|costSats|feeRateSatVb|generation)$/

export function* liesInWords({ operation, answer }: Exchange, liar: Liar): Generator<Lie> {
  for (const { path, value } of valuesOf(answer)) {
    const key = String(path.findLast((each) => typeof each === 'string') ?? '')
    if (path.includes('inputsToSign') || path.includes('selectedPaymentUtxos')) continue
    const lie = (name: string, put: unknown): Lie => ({
      name: `${nameOf(path)} ${name}`,
      family: 'words',
      tell: (told) => void set(told, path, put),
    })
    if (key === 'inscriptionId') {
      yield lie('is an inscription of the liar', `${liar.coin.txid}i0`)
      const [other] = liar.victim.spareInscriptions
      if (other) yield lie('is another inscription of the wallet', other.inscriptionId)
    }
    if (key === 'listingId') yield lie('is another listing', '3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58')
    if (/Txids?$/.test(key) && typeof value === 'string' && TXID.test(value))
      yield lie('is another transaction', liar.coin.txid)
    if (/(Hash|Root|ScriptHex)$/.test(key) && typeof value === 'string')
      yield lie('is something else', `${value.slice(0, -2)}${value.endsWith('00') ? '01' : '00'}`)
    if (key === 'criteriaCanonicalJson' && typeof value === 'string')
      yield lie('is of another collection', value.replace(/"([a-z0-9_-]{4,})"(?=[,}])/, '"liars-lamps"'))
    // In an accept at the offer's fee rate, the network fee affects only the buyer.
    const isOthers = /\/offers\/\{\}\/accept\//.test(operation) && key === 'estimatedNetworkFeeSats'
    if (typeof value === 'number' && MONEY.test(key) && !isOthers) {
      yield lie('is one more', value + 1)
      yield lie('is a million more', value + 1_000_000)
      if (value > 1) yield lie('is one', 1)
    }
  }
}

function set(answer: any, path: Path, value: unknown): void {
  at(answer, path.slice(0, -1))[path.at(-1)!] = value
}
