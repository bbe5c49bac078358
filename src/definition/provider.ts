/** Providers that people sign in with, as the definition declares them. */

/** The name of a variable of the environment, as `env` returns it. */
export interface Variable {
  readonly variable: string
}

/**
 * Names a variable of the environment: secrets are never in a definition. The service reads it when it starts.
 * @example
 * const clientSecret = env('GOOGLE_SECRET')
 */
export function env(variable: string): Variable {
  return Object.freeze({ variable })
}

export interface OidcOptions {
  /** The last path segment of `/sign-in/{name}`, and the name on the button. */
  readonly name: string
  /** The issuer, exactly as its discovery document names it: https, or http on this very machine. */
  readonly issuer: string
  readonly clientId: string | Variable
  readonly clientSecret: Variable
  /** Whether a person without an account gets one. Needs a login that is an `email()`. */
  readonly provision?: boolean
}

export interface OAuthOptions extends Pick<OidcOptions, 'clientId' | 'clientSecret' | 'provision'> {
  readonly preset: 'github'
  /** The last path segment of `/sign-in/{name}`, and the name on the button; the preset by default. */
  readonly name?: string
  /** The URL of GitHub Enterprise: an origin, such as `https://github.example.org`. */
  readonly url?: string
}

/** A declared provider, as `oidc` and `oauth` return it. */
export type Provider = (OidcOptions & { readonly kind: 'oidc' }) | (OAuthOptions & { readonly kind: 'oauth' })

/**
 * A provider of OpenID Connect that people sign in with. Register `PUBLIC_URL/sign-in/{name}/callback` there.
 * @example
 * const google = oidc({
 *   name: 'google',
 *   issuer: 'https://accounts.google.com',
 *   clientId: env('GOOGLE_ID'),
 *   clientSecret: env('GOOGLE_SECRET'),
 *   provision: true,
 * })
 */
export function oidc(options: OidcOptions): Provider {
  return Object.freeze({ kind: 'oidc', ...options })
}

/**
 * A provider of OAuth 2.0 without OpenID Connect, which a preset knows. Register `PUBLIC_URL/sign-in/{name}/callback` there.
 * @example
 * const gitHub = oauth({
 *   preset: 'github',
 *   clientId: env('GITHUB_ID'),
 *   clientSecret: env('GITHUB_SECRET'),
 *   provision: true,
 * })
 */
export function oauth(options: OAuthOptions): Provider {
  return Object.freeze({ kind: 'oauth', ...options })
}
