/** The URL by which clients know the service, wherever proxies have it. */

/** Without a slash at its end; a text that others could not begin with is reported. */
export function readPublicUrl(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username + url.password + url.search + url.hash === '') {
    return url.href.replace(/\/+$/, '')
  }
  faults.push(`PUBLIC_URL must be a URL such as 'https://example.org', not '${text}'.`)
  return undefined
}
