/** Malformed messages, made systematically: every kind of wrong octet in every place. */

export interface Malformed {
  readonly name: string
  readonly message: string
}

/** Places are `@`; each template has the rest of a message that would be right without it. */
const places: Readonly<Record<string, string>> = {
  method: 'G@ET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'end of method': 'GET@ / HTTP/1.1\r\nHost: a\r\n\r\n',
  target: 'GET /a@b HTTP/1.1\r\nHost: a\r\n\r\n',
  query: 'GET /a?b=@c HTTP/1.1\r\nHost: a\r\n\r\n',
  authority: 'GET http://a@b/ HTTP/1.1\r\nHost: a\r\n\r\n',
  protocol: 'GET / HT@TP/1.1\r\nHost: a\r\n\r\n',
  version: 'GET / HTTP/1@.1\r\nHost: a\r\n\r\n',
  'end of the request-line': 'GET / HTTP/1.1@\r\nHost: a\r\n\r\n',
  'start of a field name': 'GET / HTTP/1.1\r\nHost: a\r\n@B: c\r\n\r\n',
  'field name': 'GET / HTTP/1.1\r\nHost: a\r\nB@C: d\r\n\r\n',
  'end of a field name': 'GET / HTTP/1.1\r\nHost: a\r\nB@: c\r\n\r\n',
  'field value': 'GET / HTTP/1.1\r\nHost: a\r\nB: c@d\r\n\r\n',
  'end of a field value': 'GET / HTTP/1.1\r\nHost: a\r\nB: c@\r\n\r\n',
  Host: 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n',
  'end of the header section': 'GET / HTTP/1.1\r\nHost: a\r\n@\r\n',
  'Content-Length': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1@1\r\n\r\nabcdefghijk',
  'start of Content-Length': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: @3\r\n\r\nabc',
  'Transfer-Encoding': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun@ked\r\n\r\n0\r\n\r\n',
  'end of Transfer-Encoding': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked@\r\n\r\n0\r\n\r\n',
  'chunk size': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0@1\r\nb\r\n0\r\n\r\n',
  'end of a chunk size':
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1@\r\nb\r\n0\r\n\r\n',
  'chunk extension':
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x@y\r\nb\r\n0\r\n\r\n',
  'end of a chunk': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb@\r\n0\r\n\r\n',
  'last chunk': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0@\r\n\r\n',
  'trailer name': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nB@C: d\r\n\r\n',
  'trailer value': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nB: c@d\r\n\r\n',
}

/** No place takes any of these. */
const kinds: Readonly<Record<string, string>> = {
  NUL: '\0',
  'a bare CR': '\r',
  'a bare LF': '\n',
  'LF CR': '\n\r',
  'a fold': '\r\n x',
  'a vertical tab': '\x0b',
  'a form feed': '\x0c',
  'an escape': '\x1b',
  DEL: '\x7f',
}

/** Whole messages that fit no template. */
const others: Readonly<Record<string, string>> = {
  'only a NUL': '\0',
  'only spaces': '     \r\n\r\n',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a JSON text': '{"jsonrpc":"2.0"}\r\n\r\n',
  'a response': 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'an SSH banner': 'SSH-2.0-OpenSSH_9.2\r\n',
  'an SMTP greeting': 'EHLO a\r\n',
  'only a line end and garbage': '\r\n\xff\xfe\r\n',
  'a request-line of one word': 'GET\r\n\r\n',
  'two lengths': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nabcde',
  'length and chunks':
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a length and a message behind it':
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 44\r\n\r\nabcdeGET /x HTTP/1.1\r\nHost: a\r\n\r\n',
}

export const malformedMessages: readonly Malformed[] = [
  ...Object.entries(places).flatMap(([place, template]) =>
    Object.entries(kinds)
      // After a line end a fold would begin with an empty line: the end of a right message.
      .filter(([kind]) => !(kind === 'a fold' && template.includes('\n@')))
      .map(([kind, octets]) => ({
        name: `${kind} in ${place}`,
        message: template.replace('@', octets),
      })),
  ),
  ...Object.entries(others).map(([name, message]) => ({ name, message })),
]
