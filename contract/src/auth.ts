import { Type } from 'typebox'
import { Nullable, OneOf } from './choices.ts'
import { exampleOf } from './example.ts'
import { operation } from './operation.ts'
import { Address, DateTime, Text, Uuid } from './scalars.ts'
import { signInMessage } from './sign-in-message.ts'

const exampleMessage = signInMessage({
  host: 'market.example',
  address: String(exampleOf(Address)),
  role: 'ordinals',
  challengeId: String(exampleOf(Uuid)),
  nonce: '0123456789abcdef0123456789abcdef',
  issuedAt: new Date('2026-11-21T12:00:00Z'),
  expiresAt: new Date('2026-11-21T12:10:00Z'),
})

const Challenge = Type.Object(
  {
    challengeId: Uuid,
    message: Type.String({
      minLength: 1,
      description: 'The exact text to sign, as UTF-8 with line feeds.',
      examples: [exampleMessage],
    }),
    address: Address,
    role: OneOf('ordinals', 'payment'),
  },
  { title: 'Challenge' },
)

const WalletBinding = Type.Object(
  {
    walletBindingId: Uuid,
    label: Text,
    provider: Text,
    ordinalsAddress: Address,
    paymentAddress: Address,
    isPublic: Type.Boolean(),
  },
  { title: 'WalletBinding' },
)

const Profile = Type.Object(
  {
    id: Text,
    username: Nullable(Type.String()),
    bio: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    bannerUrl: Nullable(Type.String()),
  },
  { title: 'Profile' },
)

const me = { profile: Profile, walletBindings: Type.Array(WalletBinding) }
export const MeResponse = Type.Object(me, { title: 'MeResponse' })

export const createAuthChallenge = operation({
  id: 'createAuthChallenge',
  method: 'POST',
  path: '/auth/challenge',
  area: 'Authentication',
  summary: 'Start a sign-in. Returns one challenge per address that must sign.',
  description:
    'A profile belongs to its ordinals address. Its owner can sign in with a different payment address at any time, which adds a binding to the profile. Profiles can share a payment address; it grants no access to other profiles.',
  body: Type.Object(
    {
      ordinalsAddress: Address,
      paymentAddress: Type.String({
        minLength: 1,
        maxLength: 120,
        description:
          'Pays for purchases and offers. verifyAuthChallenge requires confirmed funding of it, a storefront session does not.',
        examples: ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
      }),
    },
    { title: 'AuthChallengeRequest', additionalProperties: false },
  ),
  answer: Type.Object(
    { authRequestId: Uuid, challenges: Type.Array(Challenge, { minItems: 1 }) },
    { title: 'AuthChallengeResponse' },
  ),
  statuses: [400, 401, 403, 409, 429, 500],
  token: false,
  bucket: 'auth-challenge',
})

export const verifyAuthChallenge = operation({
  id: 'verifyAuthChallenge',
  method: 'POST',
  path: '/auth/verify',
  area: 'Authentication',
  summary: 'Finish a sign-in with BIP-322 signatures. Returns a session token that is valid for one hour.',
  body: Type.Object(
    {
      authRequestId: Uuid,
      verifications: Type.Array(
        Type.Object(
          {
            challengeId: Uuid,
            signature: Type.String({
              maxLength: 8192,
              pattern:
                '^(?:smp|ful|pof)?(?:(?:[0-9a-fA-F]{2})+|(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$',
              description:
                'The BIP-322 signature in hex: the witness stack (simple), the signed to_sign transaction (full), or to_sign as a signed PSBT, for signers that cannot sign messages. Base64 and the BIP-322 prefixes `smp` and `ful` are accepted; a proof of funds (`pof`) is rejected.',
              examples: [`0140${'00'.repeat(64)}`],
            }),
            address: Address,
          },
          { title: 'Verification', additionalProperties: false },
        ),
        { minItems: 1, maxItems: 2 },
      ),
    },
    { title: 'AuthVerifyRequest', additionalProperties: false },
  ),
  answer: Type.Object({ ...me, sessionToken: Text, expiresAt: DateTime }, { title: 'AuthVerifyResponse' }),
  statuses: [400, 401, 403, 404, 409, 410, 429, 500, 503],
  token: false,
  secret: true,
  bucket: 'auth-verify',
})

export const getMe = operation({
  id: 'getMe',
  method: 'GET',
  path: '/me',
  area: 'Profile',
  summary: "The session's profile and its wallet bindings.",
  answer: MeResponse,
  statuses: [401, 403, 429, 503],
  token: true,
  bucket: 'reads',
})
