import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { effectsOf, type Piece } from '@ordbook/sdk/effects.ts'
import { WalletDeclined } from '@ordbook/sdk/errors.ts'
import type { SigningRequest, Wallet } from '@ordbook/sdk/wallet.ts'
import { useEffect, useState } from 'react'
import { shortAddress, shortId } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { Badge, Button, Price } from '../ui/basics.tsx'
import { type Carried, carriedText } from '../ui/carried.tsx'
import { ShieldIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'

/** An inscription that a trade is about, and where it is as far as this page knows. */
export interface Known {
  inscriptionId: string
  name: string
  outpoint: string
  offset: number
  /** The other contents of its coin; null where the market cannot say. */
  carries: readonly Carried[] | null
  /** The way that the coin takes by the trade, seen from the signer. */
  goes: 'leaves' | 'arrives' | 'stays'
}

/** The visitor's intent in words, and facts about it that no PSBT shows. */
export interface Intent {
  title: string
  /** One line about the result. */
  outcome: string
  known: readonly Known[]
}

interface Review {
  intent: Intent
  wallet: Wallet
  requests: readonly SigningRequest[]
  confirm(): void
  refuse(error: Error): void
}

/** The dialog, while it is on the page, and the reviews that wait for it. */
let show: ((review: Review) => void) | null = null
let waiting: (() => void)[] = []

/** Shows what PSBTs do, and waits for a yes. Throws WalletDeclined for a no. */
export async function review(
  intent: Intent,
  wallet: Wallet,
  requests: readonly SigningRequest[],
): Promise<void> {
  while (!show) await new Promise<void>((resolve) => waiting.push(resolve))
  const ask = show
  return new Promise((resolve, reject) => {
    ask({ intent, wallet, requests, confirm: resolve, refuse: reject })
  })
}

/** The one dialog before every signature. It reads from the PSBT itself which inscriptions leave and arrive, and the cost. */
export function ReviewDialog() {
  const [shown, setShown] = useState<Review | null>(null)

  useEffect(() => {
    show = setShown
    for (const goOn of waiting) goOn()
    waiting = []
    return () => {
      show = null
    }
  }, [])
  if (!shown) return null
  const close = (act: () => void) => {
    setShown(null)
    act()
  }
  const { intent, wallet, requests } = shown
  return (
    <Sheet
      open
      title={intent.title}
      wide
      onClose={() => close(() => shown.refuse(new WalletDeclined('you did not sign')))}
    >
      <div className="grid gap-5">
        <p className="flex items-start gap-3 rounded-lg bg-glow p-3 text-sm">
          <ShieldIcon className="mt-0.5 shrink-0 text-lg text-lamp" />
          <span>
            {intent.outcome} <br />
            <span className="text-soft">
              Checked against what you agreed to, and read from the{' '}
              {requests.length === 1 ? 'transaction' : 'transactions'} below, not from what the server says.
            </span>
          </span>
        </p>
        <AlsoInside known={intent.known} />
        {requests.map((request, n) => (
          <Transaction
            key={request.psbtBase64}
            wallet={wallet}
            request={request}
            intent={intent}
            heading={requests.length === 1 ? 'The transaction' : `Transaction ${n + 1} of ${requests.length}`}
            isOpenAtFirst={requests.length <= 2}
          />
        ))}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => close(() => shown.refuse(new WalletDeclined('you did not sign')))}>
            Cancel
          </Button>
          <Button kind="main" onClick={() => close(shown.confirm)}>
            Sign in the wallet
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

const WAYS = {
  leaves: 'goes with it to the new owner. To keep that, cancel, and move it to another coin first.',
  arrives: 'comes to you with it.',
  stays: 'stays with it.',
}

/** Names the other contents of the inscriptions' coins, and their way: no transaction shows them. */
function AlsoInside({ known }: { known: readonly Known[] }) {
  const names = new Set(known.map((each) => each.inscriptionId))
  const found = known.flatMap(({ carries, ...each }) => {
    // An inscription of the same trade is shown already.
    const others = (carries ?? []).filter(({ kind, name }) => kind !== 'inscription' || !names.has(name))
    return others.length > 0 ? [{ ...each, others }] : []
  })
  const isUnknown = known.some(({ carries }) => carries === null)
  if (isUnknown)
    return (
      <p className="text-sm text-soft">
        This market cannot say now what else the {known.length === 1 ? 'coin holds' : 'coins hold'}, such as
        runes.
      </p>
    )
  if (found.length === 0) return null
  return (
    <section className="panel border-lamp p-4 text-sm" aria-label="Also in the coins">
      <h3 className="font-semibold">Also in {found.length === 1 ? 'the coin' : 'the coins'}</h3>
      <ul className="mt-2 grid gap-1">
        {found.map(({ inscriptionId, name, others, goes }) => (
          <li key={inscriptionId} className="[overflow-wrap:anywhere]">
            {name}: <strong>{others.map(carriedText).join(', ')}</strong> {WAYS[goes]}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-soft">As the market’s index says; your wallet may not show it.</p>
    </section>
  )
}

function Transaction({
  wallet,
  request,
  intent,
  heading,
  isOpenAtFirst,
}: {
  wallet: Wallet
  request: SigningRequest
  intent: Intent
  heading: string
  isOpenAtFirst: boolean
}) {
  const located = new Map(
    [...Map.groupBy(intent.known, (each) => each.outpoint)].map(([outpoint, all]) => [
      outpoint,
      all.map(({ inscriptionId, offset }) => ({ inscriptionId, offset })),
    ]),
  )
  const names = new Map(intent.known.map((each) => [each.inscriptionId, each.name]))
  const nameOf = (id: string) => names.get(id) ?? shortId(id)
  const effects = effectsOf(
    wallet,
    { ...request, inputsToSign: request.inputsToSign.map((each) => ({ ...each })) },
    located,
  )
  return (
    <section className="panel p-4" aria-label={heading}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <h3 className="font-semibold">{heading}</h3>
        {effects.isOpen && <Badge tone="lamp">valid only with the payment to you</Badge>}
      </div>
      <dl className="mt-3 grid gap-x-6 gap-y-2 text-sm sm:grid-cols-3">
        <div>
          <dt className="text-soft">Leaves you</dt>
          <dd>{[...effects.leaves.map(nameOf)].join(', ') || (effects.netSats < 0 ? '' : 'nothing')}</dd>
          {effects.netSats < 0 && (
            <dd>
              <Price sats={-effects.netSats} />
            </dd>
          )}
        </div>
        <div>
          <dt className="text-soft">Arrives</dt>
          <dd>{effects.arrives.map(nameOf).join(', ') || (effects.netSats > 0 ? '' : 'nothing')}</dd>
          {effects.netSats > 0 && (
            <dd>
              <Price sats={effects.netSats} />
            </dd>
          )}
        </div>
        <div>
          <dt className="text-soft">Network fee</dt>
          <dd>
            {effects.feeSats === null ? 'paid by the buyer' : <Price sats={Math.max(0, effects.feeSats)} />}
          </dd>
        </div>
      </dl>
      <details open={isOpenAtFirst} className="mt-3 text-sm">
        <summary className="text-soft underline">Inputs and outputs</summary>
        <div className="mt-2 grid gap-4 md:grid-cols-2">
          <Pieces title="Inputs" pieces={effects.inputs} nameOf={nameOf} />
          <Pieces title="Outputs" pieces={effects.outputs} nameOf={nameOf} />
        </div>
      </details>
    </section>
  )
}

function Pieces({
  title,
  pieces,
  nameOf,
}: {
  title: string
  pieces: readonly (Piece & { signed?: boolean })[]
  nameOf: (id: string) => string
}) {
  const { market } = useSettings()
  return (
    <div>
      <h4 className="mb-1 font-medium">{title}</h4>
      <ol className="grid gap-1">
        {pieces.map((piece, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in a transaction is what an input or output is
          <li key={n} className="flex flex-wrap items-center gap-x-2 rounded bg-sunk px-2 py-1.5">
            <span className="font-mono text-xs">
              {shortAddress(addressOfScript(piece.script, market!.addressNetwork) ?? 'script')}
            </span>
            {piece.own && <Badge tone="good">yours</Badge>}
            {piece.signed && <Badge tone="lamp">you sign</Badge>}
            {piece.inscriptionIds.map((id) => (
              <Badge key={id}>{nameOf(id)}</Badge>
            ))}
            <Price sats={piece.valueSats} className="ml-auto" />
          </li>
        ))}
      </ol>
    </div>
  )
}
