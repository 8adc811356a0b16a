import { book as words } from '@ordbook/web-ui/strings/collection.ts'
import type { Bracket } from './book-levels.ts'

/** Draws the brackets that pass a row. Entries of `of` are true for members. */
export function Lanes({ of }: { of: readonly boolean[] }) {
  return of.map((isMember, n) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: lanes are identified by their index
      key={n}
      className={`absolute inset-y-0 border-l border-up ${isMember ? 'w-1.5 border-b' : 'w-0'}`}
      style={{ left: 2 + n * 5 }}
    />
  ))
}

/** Shows how many offers of each bracket can be filled. */
export function BracketNotes({ of, at }: { of: readonly Bracket[]; at: number }) {
  return of
    .filter(({ to }) => to === at)
    .map(({ offers, isOne, from }) => (
      <li key={`${from} ${offers}`} title={words.sharing} className="px-4 py-0.5 text-caption text-soft">
        {isOne ? words.oneOf(offers) : words.notAll(offers)}
      </li>
    ))
}
