import type { Verb } from './verb.ts'
import { bid } from './verbs/bid.ts'
import { browse } from './verbs/browse.ts'
import { buy } from './verbs/buy.ts'
import { delist } from './verbs/delist.ts'
import { doctor } from './verbs/doctor.ts'
import { exit } from './verbs/exit.ts'
import { fill } from './verbs/fill.ts'
import { list } from './verbs/list.ts'
import { portfolio } from './verbs/portfolio.ts'
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
  buy,
  bid,
  fill,
  swap,
  watch,
  verify,
  split,
  exit,
  doctor,
}
