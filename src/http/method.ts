/** Request methods (RFC 9110 §9 and the IANA registry). Method names are case-sensitive. */

/** The methods that a service offers, on one target or another. */
export const methods = ['GET', 'HEAD', 'POST', 'QUERY', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export type Method = (typeof methods)[number]

/** The methods that Node's parser accepts. Any other method is unrecognized: 501 (§15.6.2). */
export const knownMethods: ReadonlySet<string> = new Set([
  'ACL',
  'BIND',
  'CHECKOUT',
  'CONNECT',
  'COPY',
  'DELETE',
  'GET',
  'HEAD',
  'LINK',
  'LOCK',
  'M-SEARCH',
  'MERGE',
  'MKACTIVITY',
  'MKCALENDAR',
  'MKCOL',
  'MOVE',
  'NOTIFY',
  'OPTIONS',
  'PATCH',
  'POST',
  'PROPFIND',
  'PROPPATCH',
  'PURGE',
  'PUT',
  'QUERY',
  'REBIND',
  'REPORT',
  'SEARCH',
  'SOURCE',
  'SUBSCRIBE',
  'TRACE',
  'UNBIND',
  'UNLINK',
  'UNLOCK',
  'UNSUBSCRIBE',
])

/** Safe methods (§9.2.1); QUERY by RFC 10008. */
export const safeMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'REPORT',
  'SEARCH',
  'TRACE',
])
