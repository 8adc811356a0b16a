import { type FaultEntry, NOT_SERVED, no, OF_CHECK } from './fault.ts'

const OF_MIRROR = { ...OF_CHECK, status: NOT_SERVED } as const
const BEHIND = {
  doctor: 'mirror',
  metric: 'ordbook_mirror_lag_seconds',
  alert: 'OrdbookMirrorBehind',
  status: NOT_SERVED,
} as const

/** Faults of a mirror: `ordbook market doctor --mirror`. */
export const MIRROR_FAULTS = {
  'mirror-missing': { is: 'The folder contains no copy of a market.', doctor: 'mirror', ...OF_MIRROR },
  'mirror-unreadable': { is: 'The copy in the folder is damaged.', doctor: 'mirror', ...OF_MIRROR },
  'mirror-stopped': {
    is: 'The market has signed two histories.',
    doctor: 'mirror',
    metric: 'ordbook_mirror_stopped',
    alert: 'OrdbookMirrorStopped',
    status: NOT_SERVED,
  },
  'mirror-unsigned': {
    is: 'The market has not signed a change of the copy.',
    doctor: 'mirror',
    ...OF_MIRROR,
  },
  'mirror-not-running': {
    is: 'No mirror is running in the folder.',
    doctor: 'mirror',
    metric: no('`up` of Prometheus'),
    alert: 'OrdbookServerDown',
    status: NOT_SERVED,
  },
  'mirror-behind': { is: 'The mirror has not copied all changes.', ...BEHIND },
  'mirror-market-down': { is: 'The market of the mirror does not respond.', ...BEHIND },
  'mirror-other-market': {
    is: 'The address leads to another market, or to a server without its key.',
    ...BEHIND,
  },
  'mirror-rolled-back': { is: 'The market lacks changes that it has signed.', ...BEHIND },
} as const satisfies Record<string, FaultEntry>
