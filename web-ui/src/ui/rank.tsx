import { count } from '../format/format.ts'
import { rank as words } from '../strings/pages.ts'

export const Rank = ({ rank }: { rank: number }) => (
  <span title={words.formula} className="tabular shrink-0">
    <span aria-hidden="true">◆ </span>
    <span className="sr-only">{words.rank} </span>
    {count(rank)}
  </span>
)
