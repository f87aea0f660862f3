import { Button, CopyButton } from "@mantine/core";
import { IconCode } from "@tabler/icons-react";
import { validateStackedDiscounts } from "../../api/operations.gen.ts";
import { curlOf } from "../../kit/call/curl.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Empty } from "../../kit/states/states.tsx";
import classes from "../../registry/cart/cart.module.css";
import { EMPTY_CART } from "../../registry/cart/cart.ts";
import { CartAnswer } from "../../registry/cart/cart-answer.tsx";
import { CartEditor } from "../../registry/cart/cart-editor.tsx";
import { useAnswer, useCart } from "../../registry/cart/use-cart.ts";
import { useText } from "../../text/text.ts";
import { Possible } from "./possible.tsx";

/** A cart, and what the server says of it. Where the cart is: in the address. */
export default function Simulator() {
  const t = useText();
  const [cart, change] = useCart();
  const asked = useAnswer(cart);
  const { question } = asked;
  const curl = curlOf(validateStackedDiscounts, {}, { body: question ?? {}, origin: location.origin });
  return (
    <>
      <PageHead title={t("simulator.title")} below={t("simulator.below")}>
        <Button variant="default" onClick={() => change(EMPTY_CART)}>
          {t("simulator.clear")}
        </Button>
        {question && (
          <CopyButton value={curl}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} leftSection={<IconCode size={16} stroke={1.75} />}>
                {t(copied ? "simulator.copied" : "simulator.copyCurl")}
              </Button>
            )}
          </CopyButton>
        )}
        <ShowAsCall operation={validateStackedDiscounts} params={{}} body={question ?? {}} />
      </PageHead>
      <div className={classes.columns}>
        <Section title={t("simulator.cart")}>
          <CartEditor cart={cart} onChange={change} />
        </Section>
        <Section title={t("simulator.answer")}>
          {question ? <CartAnswer asked={asked} /> : <Empty title="simulator.empty" help="simulator.emptyHelp" />}
          <Possible cart={cart} onTry={(id) => change({ codes: [...cart.codes, id] })} />
        </Section>
      </div>
    </>
  );
}
