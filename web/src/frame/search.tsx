import type { Answer } from '@ordbook/sdk/operations.ts'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useRead, useSettled } from '../client.ts'
import { count, shortId } from '../format.ts'
import { goTo, Link } from '../routing/routing.tsx'
import { SearchIcon } from '../ui/icons.tsx'
import { Verification } from '../ui/verified.tsx'
import { items, frame as words } from '../words/pages.ts'

/** The field that finds collections and inscriptions, with its results below. */
export function Search({ onFound }: { onFound?: () => void }) {
  const [text, setText] = useState('')
  const asked = useSettled(text.trim())
  const list = useId()
  const box = useRef<HTMLElement>(null)
  // A press elsewhere closes the results.
  useEffect(() => {
    const leave = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setText('')
    }
    document.addEventListener('pointerdown', leave)
    return () => document.removeEventListener('pointerdown', leave)
  }, [])
  const found = useRead('search', { query: { q: asked } }, { enabled: asked.length > 0, keep: true })
  const collections = asked ? (found.data?.collections ?? []) : []
  const inscriptions = asked ? (found.data?.inscriptions ?? []) : []
  const close = () => {
    setText('')
    onFound?.()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [collection] = collections
    const [inscription] = inscriptions
    if (collection) goTo({ to: '/collection/$slug', params: { slug: collection.slug } })
    else if (inscription) goTo({ to: '/inscription/$id', params: { id: inscription.inscriptionId } })
    else return
    close()
  }
  return (
    <search ref={box} className="relative min-w-0 flex-1">
      <form onSubmit={submit}>
        <label className="relative block">
          <span className="sr-only">{words.searchFor}</span>
          <SearchIcon className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-soft" />
          <input
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && setText('')}
            placeholder={words.searchHint}
            aria-controls={list}
            className="min-h-11 w-full rounded-button border border-edge bg-surface pr-3 pl-9 text-[16px] placeholder:text-faint md:min-h-10 md:text-body"
          />
        </label>
      </form>
      <div id={list} aria-live="polite">
        {asked && found.data && (
          <Found asked={asked} collections={collections} inscriptions={inscriptions} onFound={close} />
        )}
      </div>
    </search>
  )
}

type Answers = Answer<'search'>

const LINK = 'flex min-h-11 items-center justify-between gap-3 rounded-control px-3 hover:bg-raised'

function Found({
  asked,
  collections,
  inscriptions,
  onFound,
}: {
  asked: string
  collections: Answers['collections']
  inscriptions: Answers['inscriptions']
  onFound: () => void
}) {
  return (
    <ul className="panel absolute inset-x-0 top-12 z-40 max-h-96 overflow-y-auto p-1.5 shadow-floating">
      {collections.map((each) => (
        <li key={each.slug}>
          <Link to="/collection/$slug" params={{ slug: each.slug }} onClick={onFound} className={LINK}>
            <span className="flex min-w-0 items-center gap-2">
              <span dir="auto" className="truncate">
                {each.name}
              </span>
              <Verification of={each.verificationStatus} sameNameAs={each.sameNameAs} />
            </span>
            <span className="shrink-0 text-soft">{items(each.itemCount)}</span>
          </Link>
        </li>
      ))}
      {inscriptions.map((each) => (
        <li key={each.inscriptionId}>
          <Link to="/inscription/$id" params={{ id: each.inscriptionId }} onClick={onFound} className={LINK}>
            <span>
              {each.inscriptionNumber === null
                ? words.inscription
                : `${words.inscription} ${count(each.inscriptionNumber)}`}
            </span>
            <span className="font-mono text-xs text-soft">{shortId(each.inscriptionId)}</span>
          </Link>
        </li>
      ))}
      {collections.length + inscriptions.length === 0 && (
        <li className="px-3 py-4 text-sm text-soft">{words.noMatch(asked)}</li>
      )}
    </ul>
  )
}
