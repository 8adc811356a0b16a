import { type FaultEntry, no, OF_CHECK, OF_SETUP, OPEN } from './fault.ts'

const SIGNER = { doctor: 'signer', metric: 'ordbook_signer_up', alert: 'OrdbookSignerDown' } as const
const GUARDIAN = { doctor: 'guardian', metric: 'ordbook_guardian_up', alert: 'OrdbookGuardianDown' } as const
const REJECTED = no('signing requests return 503')
const STARTS_NOT = no('the server does not start')

/** Faults of the signer, the guardian and their certificates. */
export const KEY_FAULTS = {
  'signer-down': { is: 'The signer does not respond or does not sign.', ...SIGNER, status: REJECTED },
  'signer-secret': {
    is: 'The secrets of server and signer (SIGNER_SECRET_FILE) differ, or the server has none.',
    ...SIGNER,
    status: REJECTED,
  },
  'signer-keys': {
    is: 'The keys of the signer are missing, or belong to another market.',
    ...SIGNER,
    status: STARTS_NOT,
  },
  'signer-journal': {
    is: 'The journal of the signer is missing or incomplete.',
    ...SIGNER,
    status: REJECTED,
  },
  'signer-alone': {
    is: 'The signer has no standby.',
    doctor: 'signer',
    metric: 'ordbook_signer_paired',
    alert: 'OrdbookSignerAlone',
    status: OPEN,
  },
  'guardian-down': {
    is: 'The guardian does not respond.',
    ...GUARDIAN,
    status: no('only collection offers return 503'),
  },
  'guardian-secret': {
    is: 'The secrets of server and guardian (GUARDIAN_SECRET_FILE) differ, or the server has none.',
    ...GUARDIAN,
    status: no('only collection offers return 503'),
  },
  'guardian-keys': {
    is: 'The key of the guardian is missing, or belongs to another market.',
    ...GUARDIAN,
    status: STARTS_NOT,
  },
  'guardian-journal': {
    is: 'The journal of the guardian is missing or incomplete.',
    ...GUARDIAN,
    status: no('only collection offers return 503'),
  },
  'guardian-alone': {
    is: 'The guardian has no standby.',
    doctor: 'guardian',
    metric: 'ordbook_guardian_paired',
    alert: 'OrdbookGuardianAlone',
    status: OPEN,
  },
  'journal-unwritable': {
    is: 'A key process cannot write its journal.',
    doctor: no('/readyz of the key process reports it'),
    metric: 'ordbook_role_ready',
    alert: 'OrdbookRoleNotReady',
    status: REJECTED,
  },
  'journals-reset': {
    is: 'The database was restored without the journals.',
    doctor: 'keys',
    ...OF_CHECK,
    status: STARTS_NOT,
  },
  'keys-readable': { is: 'Other users can read a key.', doctor: 'keys', ...OF_SETUP },
  'keys-in-server': { is: 'A mainnet server holds the keys.', doctor: 'keys', ...OF_SETUP },
  'certificate-expires': {
    is: 'A certificate between server and keys expires within 14 days.',
    doctor: 'certificates',
    metric: 'ordbook_certificate_days_left',
    alert: 'OrdbookCertificateExpires',
    status: OPEN,
  },
  'certificate-expired': {
    is: 'A certificate between server and keys has expired or has another name.',
    doctor: 'certificates',
    metric: 'ordbook_certificate_days_left',
    alert: 'OrdbookCertificateExpires',
    status: REJECTED,
  },
  'public-certificate': {
    is: 'The certificate of PUBLIC_URL is invalid or expires within 14 days.',
    doctor: 'proxies',
    metric: no('use a blackbox exporter'),
    alert: no('without a metric'),
    status: OPEN,
  },
} as const satisfies Record<string, FaultEntry>
