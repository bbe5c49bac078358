/**
 * GitHub: OAuth 2.0 without OpenID Connect. Its API says who the person is. The numeric id is the subject, because login
 * names and addresses get other owners.
 */

import type { KnownProvider, Protocol } from './code-flow.ts'

/** The protocol of github.com, or of the server of an enterprise, such as `https://github.example.org`. */
export function gitHub(url: string): Protocol {
  const api = apiUri(new URL(url))
  return {
    issuer: url,
    // Only for the addresses: everything else that is read is public.
    parameters: { scope: 'user:email' },
    hasIdToken: false,
    async configure({ ClientSecretPost, Configuration }, { id, secret }) {
      const endpoints = {
        issuer: url,
        authorization_endpoint: `${url}/login/oauth/authorize`,
        token_endpoint: `${url}/login/oauth/access_token`,
      }
      return new Configuration(endpoints, id, secret, ClientSecretPost(secret))
    },
    async identify(known, { access_token: token }) {
      const [person, addresses] = await Promise.all([
        readApi(known, token, `${api}/user`),
        readApi(known, token, `${api}/user/emails?per_page=100`),
      ])
      const { id, name } = (person ?? {}) as { readonly id?: unknown; readonly name?: unknown }
      if (!Number.isSafeInteger(id) || Number(id) <= 0)
        throw new Error('The provider sent no id of the person')
      return {
        issuer: url,
        subject: String(id),
        email: verifiedAddress(addresses),
        name: typeof name === 'string' && name !== '' ? name : undefined,
        // GitHub does not say when it asked the person for a proof.
        authenticatedAt: undefined,
      }
    },
  }
}

/** The URI of the API: servers of enterprises have it below their own, unless GitHub runs them. */
export function apiUri({ origin, protocol, host }: URL): string {
  return host === 'github.com' || host.endsWith('.ghe.com') ? `${protocol}//api.${host}` : `${origin}/api/v3`
}

/** The content; undefined where the token may not read it. */
async function readApi(
  { library, configuration }: KnownProvider,
  token: string,
  uri: string,
): Promise<unknown> {
  const fields = new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' })
  const response = await library.fetchProtectedResource(
    configuration,
    token,
    new URL(uri),
    'GET',
    null,
    fields,
  )
  if (response.status === 403 || response.status === 404) return undefined
  if (response.status !== 200) throw new Error(`The response of ${uri} is ${response.status}`)
  return response.json()
}

/** The primary address, where GitHub has verified it. */
function verifiedAddress(addresses: unknown): string | undefined {
  const listed: readonly unknown[] = Array.isArray(addresses) ? addresses : []
  const primary = listed.find((one) => (one as MailAddress | null)?.primary === true) as
    | MailAddress
    | undefined
  return primary?.verified === true && typeof primary.email === 'string' ? primary.email : undefined
}

interface MailAddress {
  readonly email?: unknown
  readonly primary?: unknown
  readonly verified?: unknown
}
