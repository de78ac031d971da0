// Requests to the server that this page came from.

/** Send a request; throws an Error with the server's message if it is refused. */
export async function ask(verb, values) {
  const response = await fetch(`api/${verb}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(values),
  });
  if (!response.ok) {
    const body = await response.json().catch(() => ({ error: "The server did not answer." }));
    throw new Error(body.error);
  }
  if (response.headers.get("Content-Type").startsWith("application/json")) return response.json();
  const side = Number(response.headers.get("X-Side"));
  return { side, cells: new Float32Array(await response.arrayBuffer()) };
}
