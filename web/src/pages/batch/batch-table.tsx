import { btcIn } from '@ordbook/web-ui/format/column.ts'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { type AmountText, confirmed, typedOf } from '@ordbook/web-ui/money/amount-text.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { problemText, ticket } from '@ordbook/web-ui/strings/trade.ts'
import { AmountField, UnitChanged } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { type ReactNode, useId } from 'react'
import { NotListable } from '../forms/not-listable.tsx'
import { InscriptionLink } from '../parts/links.tsx'
import { PriceCell } from './price-cell.tsx'
import { batch as words } from './strings.ts'
import type { Batch, BatchLine, BatchRow } from './use-batch.ts'

const HEAD = 'px-2 py-2 text-right font-normal whitespace-nowrap'
const CELL = 'tabular px-2 py-1.5 text-right align-middle'
/** Columns of wide screens. On phones, their content is under the name. */
const MD = 'max-md:hidden'
const LG = 'max-[1399.98px]:hidden'
const COLUMNS = 9

interface Props {
  of: Batch
  text: (sats: number) => string
  unitName: string
  onChoose: (ids: readonly string[], isChosen: boolean) => void
  onPrice: (id: string, value: AmountText, isChosen: boolean) => void
  onAgain: (id: string, value: AmountText) => void
}

/** Rows by collection, each with one price field. */
export function BatchTable(props: Props) {
  const { lines } = props.of
  const groups = [...Map.groupBy(lines, ({ row }) => row.slug)]
  const choosable = lines.filter(({ row }) => !row.isLocked)
  const isAll = choosable.length > 0 && choosable.every(({ isChosen }) => isChosen)
  return (
    <table aria-label={words.table} className="w-full border-collapse text-small">
      <thead className="text-caption text-soft">
        <tr className="border-b border-line">
          <th scope="col" className="py-2 pl-3 text-left">
            <Check
              label={words.all}
              isOn={isAll}
              onChange={(isOn) =>
                props.onChoose(
                  choosable.map(({ row }) => row.inscriptionId),
                  isOn,
                )
              }
            />
          </th>
          <th scope="col" className={`${HEAD} w-full !text-left`}>
            {words.item}
          </th>
          <Head className={MD}>{words.traitFloor}</Head>
          <Head className={MD}>{words.bestBid}</Head>
          <Head className={LG}>{words.listedAt}</Head>
          <Head>{words.price(props.unitName)}</Head>
          <Head className={MD}>{words.versusFloor}</Head>
          <Head className={LG}>{words.versusTrait}</Head>
          <Head className={MD}>{words.receive}</Head>
        </tr>
      </thead>
      {groups.map(([slug, all]) => (
        <tbody key={slug}>
          <GroupRow row={all[0]!.row} text={props.text} />
          {all.map((line) => (
            <Row key={line.row.inscriptionId} line={line} {...props} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

const Head = ({ className = '', children }: { className?: string; children: ReactNode }) => (
  <th scope="col" className={`${HEAD} ${className}`}>
    {children}
  </th>
)

function Check(of: { label: string; isOn: boolean; isOff?: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <input
      type="checkbox"
      aria-label={of.label}
      checked={of.isOn}
      disabled={of.isOff ?? false}
      onChange={(event) => of.onChange(event.currentTarget.checked)}
      className="size-6 align-middle accent-accent md:size-4"
    />
  )
}

function GroupRow({ row, text }: { row: BatchRow; text: Props['text'] }) {
  const { floorSats, topOfferSats, royaltyBps } = row
  return (
    <tr className="border-b border-line bg-raised">
      <th scope="rowgroup" colSpan={COLUMNS} className="px-3 py-2 text-left font-semibold">
        <span className="flex min-w-0 flex-wrap items-center gap-x-4">
          <span className="flex min-w-0 items-center gap-1">
            <CollectionName of={row} />
          </span>
          {floorSats !== null && <Named name={words.floor} text={text(floorSats)} />}
          {topOfferSats !== null && <Named name={words.topOffer} text={text(topOfferSats)} />}
          {royaltyBps !== null && (
            <span className="max-sm:hidden">
              <Named name={words.royalty} text={words.percent(royaltyBps / 100)} />
            </span>
          )}
        </span>
      </th>
    </tr>
  )
}

const Named = ({ name, text }: { name: string; text: string }) => (
  <span className="font-normal whitespace-nowrap text-soft">
    {name} <span className="tabular font-semibold text-ink">{text}</span>
  </span>
)

const LEVELS = { confirm: 'bg-tint', stop: 'bg-down-bg', none: '' }

function Row({ line, of, text, unitName, onChoose, onPrice, onAgain }: Props & { line: BatchLine }) {
  const about = useId()
  const { row, sats, isChosen, change } = line
  const { inscriptionId: id, floorSats, traitFloorSats, bestBid, listedSats } = row
  const guards = change?.guards ?? []
  const level = guards.some((each) => each.level === 'stop')
    ? 'stop'
    : guards.some((each) => each.level === 'confirm')
      ? 'confirm'
      : 'none'
  const versus = (against: number | null) =>
    sats === null || against === null ? '' : difference(sats, against)
  const quoted = change?.facts?.item
  const receive = quoted && quoted.priceSats === sats ? text(quoted.sellerReceiveSats) : ''
  const was = receive && row.listedReceiveSats !== null && words.was(text(row.listedReceiveSats))
  return (
    <>
      <tr data-level={level} className={`border-t border-line ${LEVELS[level]}`}>
        <td className="w-9 pl-3 align-middle">
          <Check
            label={words.choose(row.name)}
            isOn={isChosen}
            isOff={row.isLocked}
            onChange={(isOn) => onChoose([id], isOn)}
          />
        </td>
        <th scope="row" className="max-w-0 px-2 py-1.5 text-left font-semibold">
          <ItemName row={row} text={text} versus={versus(floorSats)} isChanged={change !== null} />
        </th>
        <Amount className={MD} text={traitFloorSats && text(traitFloorSats)} below={row.traitFloorOf} />
        <Amount
          className={MD}
          text={bestBid && text(bestBid.priceSats)}
          below={bestBid && kindOf(row, bestBid)}
        />
        <Amount className={LG} text={listedSats && text(listedSats)} below={row.status}>
          {listedSats === null && <span className="whitespace-nowrap text-soft">{words.notListed}</span>}
        </Amount>
        <td className="py-1.5 pr-3 pl-2 text-right align-middle md:pr-2">
          <PriceCell
            line={line}
            label={words.priceOf(row.name, unitName)}
            fiat={of.fiat}
            about={about}
            onPrice={(value, isOn) => onPrice(id, value, isOn)}
          />
        </td>
        <td className={`${CELL} ${MD} ${level === 'none' ? 'text-soft' : 'text-ink'}`}>
          {versus(floorSats)}
        </td>
        <td className={`${CELL} ${LG} text-soft`}>{versus(traitFloorSats)}</td>
        <td className={`${CELL} ${MD} pr-3 font-semibold`}>
          {receive}
          {was && <span className="block text-caption font-normal text-soft">{was}</span>}
        </td>
      </tr>
      <Problems line={line} of={of} about={about} onPrice={onPrice} onAgain={onAgain} />
    </>
  )
}

function Amount(of: {
  className: string
  text: string | number | null
  below: string | null
  children?: ReactNode
}) {
  return (
    <td className={`${CELL} ${of.className}`}>
      {of.text || !of.children ? <span className="block">{of.text || '–'}</span> : of.children}
      {of.below && (
        <span dir="auto" className="ml-auto block max-w-28 truncate text-caption text-soft">
          {of.below}
        </span>
      )}
    </td>
  )
}

const kindOf = (
  { topOfferSats }: BatchRow,
  { collectionSlug, priceSats }: NonNullable<BatchRow['bestBid']>,
) => {
  if (collectionSlug === null) return ticket.bidKinds.item
  return priceSats === topOfferSats ? ticket.bidKinds.collection : ticket.bidKinds.trait
}

function ItemName({
  row,
  text,
  versus,
  isChanged,
}: {
  row: BatchRow
  text: Props['text']
  versus: string
  isChanged: boolean
}) {
  const { traitFloorSats, listedSats, status } = row
  const facts = [
    ...(traitFloorSats === null ? [] : [`${words.traitFloor} ${text(traitFloorSats)}`]),
    ...(versus ? [`${versus} ${words.versusFloor}`] : []),
    ...(listedSats === null
      ? []
      : [isChanged ? words.was(text(listedSats)) : `${words.listedAt.toLowerCase()} ${text(listedSats)}`]),
    ...(status ? [status] : []),
  ]
  return (
    <span className="flex min-w-0 items-center gap-3">
      <span className="w-11 shrink-0 overflow-hidden rounded-control md:w-8">
        <Media id={row.inscriptionId} contentType={row.contentType} name="" hint={row.imageRenderingHint} />
      </span>
      <span className="grid min-w-0">
        <InscriptionLink id={row.inscriptionId} name={row.name} className="truncate hover:underline" />
        <span className="text-caption font-normal text-soft md:hidden">{facts.join(' · ')}</span>
        {status && (
          <span className="text-caption font-normal text-soft max-md:hidden min-[1400px]:hidden">
            {status}
          </span>
        )}
      </span>
    </span>
  )
}

/** What is wrong with a price, what must be typed again, and why an item cannot be listed. */
function Problems({
  line: { row, value, isInvalid, change, sats },
  of: { fiat, leastSats, fields, unit },
  about,
  onPrice,
  onAgain,
}: Pick<Props, 'of' | 'onPrice' | 'onAgain'> & { line: BatchLine; about: string }) {
  const { inscriptionId: id } = row
  const refused = change?.facts?.item.refused
  const isRetyped = change?.guards.some(({ retype }) => retype) ?? false
  const problem = isInvalid ? problemOf(value, sats, leastSats, fiat) : null
  const meant = value.wasSats === undefined ? null : typedOf(confirmed(value), fiat)
  if (!problem && !refused && !isRetyped && meant?.kind !== 'sats') return null
  return (
    <tr>
      <td colSpan={COLUMNS} className="px-3 pb-2">
        <div id={about} className="ml-auto grid max-w-md gap-2" aria-live="polite">
          {problem && <p className="text-right text-down">{problem}</p>}
          {meant?.kind === 'sats' && (
            <UnitChanged
              wasSats={value.wasSats!}
              sats={meant.sats}
              onConfirm={() => onPrice(id, confirmed(value), true)}
            />
          )}
          {refused && <NotListable inscriptionId={id} code={refused.code} />}
          {isRetyped && (
            <AmountField
              label={`${ticket.priceAgain}: ${row.name}`}
              value={fields.again[id] ?? { text: '', unit }}
              onChange={(again) => onAgain(id, again)}
              isSent={false}
              isOptional
              hint={change?.isRepeated ? null : ticket.otherPrice}
            />
          )}
        </div>
      </td>
    </tr>
  )
}

function problemOf(
  value: AmountText,
  sats: number | null,
  leastSats: number,
  fiat: Batch['fiat'],
): string | null {
  const typed = typedOf(value, fiat)
  if (typed.kind === 'wrong') return problemText(typed.problem, typed.suggestion, value.unit)
  return sats !== null && sats < leastSats ? ticket.atLeast(leastSats) : null
}

/** Formats the amounts of the table: in BTC with five decimals, eight if one is below 0.001 BTC. The fields have the same unit. */
export function tableText({ unit, fiat, lines }: Batch): {
  unitName: string
  text: (sats: number) => string
} {
  const shown = (sats: number) => amount(sats, unit, fiat)
  if (unit !== 'btc') return { unitName: shown(0).unit, text: (sats) => shown(sats).text }
  const amounts = lines.flatMap(({ row }) => [row.floorSats, row.bestBidSats, row.startSats])
  const decimals = amounts.some((sats) => sats && sats < 100_000) ? 8 : 5
  return { unitName: 'BTC', text: (sats) => btcIn(sats, decimals) }
}
