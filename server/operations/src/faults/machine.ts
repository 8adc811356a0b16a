import { type FaultEntry, no, OF_SETUP, OPEN } from './fault.ts'

const DISK = { doctor: 'disk', metric: 'ordbook_disk_free_bytes' } as const

/** Faults of settings, processes and the machine. */
export const MACHINE_FAULTS = {
  'settings-invalid': {
    is: 'A setting is unknown or invalid.',
    doctor: 'settings',
    ...OF_SETUP,
    status: no('the server does not start'),
  },
  'settings-risky': {
    is: 'Rate limits or the minimum funds of wallets are off.',
    doctor: 'settings',
    ...OF_SETUP,
  },
  'proxy-untrusted': {
    is: 'PUBLIC_URL is set, but TRUST_PROXY is off.',
    doctor: 'proxies',
    ...OF_SETUP,
  },
  'proxy-unencrypted': { is: 'PUBLIC_URL is not an https address.', doctor: 'proxies', ...OF_SETUP },
  'content-same-origin': {
    is: 'Inscriptions are served from the origin of the storefront.',
    doctor: 'proxies',
    ...OF_SETUP,
  },
  'disk-unreadable': { is: 'DATA_DIR is not accessible.', doctor: 'disk', ...OF_SETUP },
  'disk-full': {
    is: 'Less than 1 GB is free at DATA_DIR.',
    ...DISK,
    alert: 'OrdbookDiskFull',
    status: OPEN,
  },
  'disk-low': {
    is: 'Less than 10 GB are free at DATA_DIR.',
    ...DISK,
    alert: 'OrdbookDiskLow',
    status: OPEN,
  },
  'server-down': {
    is: 'A process does not respond.',
    doctor: no('it runs without the server'),
    metric: no('`up` of Prometheus'),
    alert: 'OrdbookServerDown',
    status: no('the server does not respond'),
  },
  'role-not-ready': {
    is: 'A signer, guardian or renderer runs but cannot work.',
    doctor: no('/readyz of the process returns the reason'),
    metric: 'ordbook_role_ready',
    alert: 'OrdbookRoleNotReady',
    status: OPEN,
  },
  'role-idle': {
    is: 'No process has the role follower or jobs.',
    doctor: 'processes',
    metric: 'ordbook_role_unassigned',
    alert: 'OrdbookRoleIdle',
    status: no('without a follower, reported as an old mempool'),
  },
  'redis-down': {
    is: 'Redis does not respond.',
    doctor: 'redis',
    metric: 'ordbook_redis_up',
    alert: 'OrdbookRedisDown',
    status: OPEN,
  },
  'previews-unreachable': {
    is: 'The socket for renderers is not open.',
    doctor: 'previews',
    metric: 'ordbook_role_ready',
    alert: 'OrdbookRoleNotReady',
    status: OPEN,
  },
  'previews-stalled': {
    is: 'Items wait for a thumbnail, and none was rendered for ten minutes.',
    doctor: 'previews',
    metric: 'ordbook_preview_stalled_seconds',
    alert: 'OrdbookPreviewStall',
    status: OPEN,
  },
  'previews-failing': {
    is: 'Most thumbnails of the last hour failed.',
    doctor: no('`ordbook market thumbnails` lists the failures'),
    metric: 'ordbook_renderer_items_total',
    alert: 'OrdbookPreviewsFail',
    status: OPEN,
  },
} as const satisfies Record<string, FaultEntry>
