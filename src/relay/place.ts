/** Where a relay is dialled, and what its certificate must be for. */

/** `url` is the relay's identity; `connect` (`host:port`) is dialled in place of its host. */
export function placeOf({ url, connect }: { url: string; connect?: string }): {
  host: string;
  port: number;
  servername: string;
} {
  const { hostname, port } = new URL(url);
  const own = { host: hostname, port: Number(port === '' ? 443 : port), servername: hostname };
  if (connect === undefined) return own;
  const colon = connect.lastIndexOf(':');
  return {
    ...own,
    host: connect.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(connect.slice(colon + 1)),
  };
}
