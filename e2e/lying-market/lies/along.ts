import type { Exchange, Liar, Lie } from '../exchange.ts'

/** Preflights in which the wallet transfers inscriptions. */
const SALES = /\/(listings|accept|counter|fill)\/preflight$/
const SWAPS = /\/(acceptances|settle)\/preflight$/
const GOES_ALONG = /The coin also contains/

/** Claims that the coin contains inscriptions that the agreement does not name. The client relies on the market for a coin's contents. */
export function* liesAboutContents({ operation, request, answer }: Exchange, liar: Liar): Generator<Lie> {
  if (/\/counter\/accept\//.test(operation) || !(SALES.test(operation) || SWAPS.test(operation))) return
  const sold = soldIn(operation, request, answer)
  const [other] = liar.victim.spareInscriptions
  if (sold === null) return
  const liars = `${liar.coin.txid}i0`
  const entry = (name: string, kind = 'inscription') => ({ inscriptionId: sold, kind, name })
  const lie = (name: string, carries: unknown[]): Lie => ({
    name: `carries ${name}`,
    family: 'along',
    check: GOES_ALONG,
    tell: (told) => {
      told.carries = carries
      return undefined
    },
  })
  yield lie('an inscription of the liar', [entry(liars)])
  yield lie('an inscription of the liar twice', [entry(liars), entry(liars)])
  yield lie('a rune and an inscription', [{ ...entry('LIARS•LAMPS', 'rune'), amount: '1' }, entry(liars)])
  yield lie('a rare sat and an inscription', [entry('1', 'rare-sat'), entry(liars)])
  yield lie('the inscription itself in capitals', [entry(sold.toUpperCase())])
  yield lie('the inscription itself and a later one of its transaction', [
    entry(sold),
    entry(laterThan(sold)),
  ])
  if (other) yield lie('another inscription of the wallet', [entry(other.inscriptionId)])
  if (!SWAPS.test(operation))
    yield lie('an inscription in another coin', [{ ...entry(liars), inscriptionId: liars }])
}

const laterThan = (id: string) => id.replace(/\d+$/, (number) => String(Number(number) + 1))

function soldIn(operation: string, request: any, answer: any): string | null {
  if (operation.endsWith('/settle/preflight') || operation.endsWith('/acceptances/preflight')) {
    const from = operation.endsWith('/settle/preflight') ? 'proposer' : 'acceptor'
    return answer.items.find((item: any) => item.from === from)?.inscriptionId ?? null
  }
  return answer.listings?.[0]?.inscriptionId ?? answer.inscriptionId ?? request?.inscriptionId ?? liarsChoice
}

/** Placeholder for the trade's only inscription, if the response does not name it. */
const liarsChoice = `${'ab'.repeat(32)}i0`
