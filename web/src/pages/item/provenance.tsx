import type { Answer } from '@ordbook/sdk/operations.ts'
import { count, fullTime, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Facts } from '@ordbook/web-ui/ui/facts.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import type { ReactNode } from 'react'
import { inscription as words } from './strings.ts'

type Inscription = Answer<'getInscription'>

export function Provenance({ inscription }: { inscription: Inscription }) {
  const { moves, movesFrom, parents, children, childCount } = inscription
  return (
    <section className="grid content-start gap-3">
      {parents.length > 0 && (
        <p className="text-sm">
          Child of{' '}
          {parents.map((parent) => (
            <Link
              key={parent.inscriptionId}
              to="/inscription/$id"
              params={{ id: parent.inscriptionId }}
              className="mr-2 underline"
            >
              inscription {parent.inscriptionNumber}
            </Link>
          ))}
        </p>
      )}
      <ol className="panel divide-y divide-line text-sm">
        {moves.map((move) => (
          <li key={`${move.txid} ${move.height}`} className="flex flex-wrap gap-x-3 gap-y-1 px-4 py-2.5">
            <span className="w-24 text-soft">block {count(move.height)}</span>
            <span className="flex-1 font-mono text-xs leading-5">
              {move.fromAddress ? shortAddress(move.fromAddress) : '–'} →{' '}
              {move.toAddress ? shortAddress(move.toAddress) : 'No owner (unbound)'}
            </span>
            {move.priceSats !== null && (
              <span>
                {move.external ? 'sold elsewhere for ' : 'sold for '}
                <Price sats={move.priceSats} />
              </span>
            )}
            <span className="text-soft">
              <Time at={move.at} />
            </span>
          </li>
        ))}
        {movesFrom !== null && <li className="px-4 py-2.5 text-soft">{words.movesFrom(count(movesFrom))}</li>}
        <li className="flex gap-3 px-4 py-2.5">
          <span className="w-24 text-soft">block {count(inscription.genesisHeight)}</span>
          <span className="flex-1">inscribed</span>
          <time dateTime={inscription.inscribedAt} className="text-soft">
            {fullTime(inscription.inscribedAt)}
          </time>
        </li>
      </ol>
      {childCount > 0 && (
        <div>
          <h2 className="mb-2 font-medium">{count(childCount)} children</h2>
          <ul className="grid grid-cols-6 gap-2">
            {children.map((child) => (
              <li key={child.inscriptionId} className="overflow-hidden rounded">
                <Link
                  to="/inscription/$id"
                  params={{ id: child.inscriptionId }}
                  aria-label={`Inscription ${child.inscriptionNumber}`}
                >
                  <Media id={child.inscriptionId} contentType={child.contentType} name="" />
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

export function Details({ inscription }: { inscription: Inscription }) {
  const { outpoint, satOffset } = inscription
  const rows: [string, ReactNode][] = [
    ['Id', inscription.inscriptionId],
    ['Content type', inscription.contentType ?? 'none'],
    ['Content', inscription.contentBytes === null ? 'none' : `${count(inscription.contentBytes)} bytes`],
    ['Sat', inscription.sat === null ? 'unknown' : count(inscription.sat)],
    ['Satpoint', outpoint ? `${outpoint.txid}:${outpoint.vout}:${satOffset}` : 'none'],
    ['Postage', outpoint ? `${count(outpoint.valueSats)} sats` : 'none'],
    ...(inscription.delegateId
      ? ([['Shows the content of', inscription.delegateId]] as [string, string][])
      : []),
    ...(inscription.metaprotocol ? ([['Metaprotocol', inscription.metaprotocol]] as [string, string][]) : []),
  ]
  return (
    <Facts
      rows={rows}
      row="grid gap-x-3 sm:grid-cols-[9rem_1fr]"
      value="font-mono text-xs leading-5 [overflow-wrap:anywhere]"
      className="panel p-4 text-sm"
    />
  )
}
