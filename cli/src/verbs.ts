import type { Verb } from './verb.ts'
import { accept } from './verbs/accept.ts'
import { bid } from './verbs/bid.ts'
import { browse } from './verbs/browse.ts'
import { buy } from './verbs/buy.ts'
import { counter } from './verbs/counter.ts'
import { decline } from './verbs/decline.ts'
import { delist } from './verbs/delist.ts'
import { doctor } from './verbs/doctor.ts'
import { exit } from './verbs/exit.ts'
import { fill } from './verbs/fill.ts'
import { list } from './verbs/list.ts'
import { move } from './verbs/move.ts'
import { portfolio } from './verbs/portfolio.ts'
import { relist } from './verbs/relist.ts'
import { setup } from './verbs/setup.ts'
import { signIn } from './verbs/sign-in.ts'
import { split } from './verbs/split.ts'
import { swap } from './verbs/swap.ts'
import { verify } from './verbs/verify.ts'
import { watch } from './verbs/watch.ts'

export const VERBS: Readonly<Record<string, Verb>> = {
  setup,
  'sign-in': signIn,
  browse,
  portfolio,
  list,
  delist,
  relist,
  move,
  buy,
  bid,
  fill,
  accept,
  counter,
  decline,
  swap,
  watch,
  verify,
  split,
  exit,
  doctor,
}
